// What the journal records about the plain files of homes: the last known version of each, and a session's skills.
import type { Outcome, SetSkill } from "../../events/commands.ts";
import type { SkillState } from "../../events/catalogue/lifecycle.ts";
import type { HomeNote, HomeSighting, HomeSubject } from "../../events/home-notes.ts";

/** How often runs of a profile read a skill. */
export type SkillUse = { readonly name: string; readonly uses: number; readonly last_at: number };

/** Records who changed files outside the journal, and which skills a session loads or switches off. */
export interface HomeFiles {
  /** The last recorded version of each file. */
  homeNotes(of: Omit<HomeSubject, "name">): Promise<readonly HomeNote[]>;
  /**
   * Compares and records in one transaction: a version that was found and is not recorded was made by hand, and is
   * recorded as that once, by the first process that sees it; then the new version is recorded.
   */
  noteHome(sightings: readonly HomeSighting[]): Promise<void>;
  skillUses(profile: string): Promise<readonly SkillUse[]>;
  /** By name; a skill that is not listed is offered. Undefined if there is no such session. */
  sessionSkills(sessionId: string): Promise<Readonly<Record<string, SkillState>> | undefined>;
  setSkill(sessionId: string, command: SetSkill): Promise<Outcome | undefined>;
}
