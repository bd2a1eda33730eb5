// What the journal keeps of the plain files of homes: which version of each was noted, and what sessions do with skills.
import type { Outcome, SetSkill } from "../../events/commands.ts";
import type { SkillState } from "../../events/catalogue/lifecycle.ts";
import type { HomeNote, HomeSighting, HomeSubject } from "../../events/home-notes.ts";

/** How often runs of a profile read a skill. */
export type SkillUse = { readonly name: string; readonly uses: number; readonly last_at: number };

/** What the journal keeps of files that are not its own: who changed them, and what sessions do with skills. */
export interface HomeFiles {
  /** What was last noted of each of them. */
  homeNotes(of: Omit<HomeSubject, "name">): Promise<readonly HomeNote[]>;
  /**
   * Compares and notes in one transaction: what was found and nobody noted was done by hand, and is noted as that
   * once, whoever sees it first; then what was made.
   */
  noteHome(sightings: readonly HomeSighting[]): Promise<void>;
  skillUses(profile: string): Promise<readonly SkillUse[]>;
  /** By name; a skill that is not among them is offered. Undefined when there is no such session. */
  sessionSkills(sessionId: string): Promise<Readonly<Record<string, SkillState>> | undefined>;
  setSkill(sessionId: string, command: SetSkill): Promise<Outcome | undefined>;
}
