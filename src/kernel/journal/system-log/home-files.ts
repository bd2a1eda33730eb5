// Records versions of a home's files. The journal never opens one: the caller says what it found and wrote, and an
// unrecorded version counts as made by hand.
import type { SkillState } from "../../events/catalogue/lifecycle.ts";
import type { Outcome, SetSkill } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import type { HomeSighting } from "../../events/home-notes.ts";
import { SYSTEM_LOG, type SystemDraft } from "../../events/system-events.ts";
import { appendToSystemLog } from "./system-log.ts";
import { outcome } from "../admit/idempotency.ts";
import type { HomeFiles } from "../journal.ts";
import type { Sql } from "../sql.ts";
import type { Transact, Tx } from "../transaction.ts";
import { integer, json, nullable, real, rowsOf, text } from "../rows.ts";

const NOTES = `SELECT name, hash, at, actor AS "by", action, source, installed_hash FROM home_notes
  WHERE home = ? AND kind = ? AND profile = ? ORDER BY name`;
const LAST = "SELECT hash FROM home_notes WHERE home = ? AND kind = ? AND profile = ? AND name = ?";
const USES = "SELECT name, uses, last_at FROM skill_uses WHERE profile = ? ORDER BY name";
const OF_SESSION = "SELECT skills FROM sessions WHERE session_id = ?";
const MAX_OF_SESSION = 100;

const NOTE = rowsOf("home_notes", {
  name: text,
  hash: text,
  at: real,
  by: text,
  action: text,
  source: nullable(text),
  installed_hash: nullable(text),
});
const HASH = rowsOf("home_notes", { hash: text });
const USE = rowsOf("skill_uses", { name: text, uses: integer, last_at: real });
const DECIDED = rowsOf("sessions", { skills: json<Skills>() });

export function homeFiles(sql: Sql, transact: Transact): HomeFiles {
  return {
    homeNotes: ({ home, kind, profile }) => NOTE.all(sql, NOTES, home, kind, profile),
    noteHome: (sightings) =>
      transact(SYSTEM_LOG, async (tx) => {
        const drafts: SystemDraft[] = [];
        for (const sighting of sightings) drafts.push(...(await changesOf(tx, sighting)));
        if (drafts.length > 0) await appendToSystemLog(tx, drafts);
      }),
    skillUses: (profile) => USE.all(sql, USES, profile),
    sessionSkills: (sessionId) => skillsOf(sql, sessionId),
    setSkill: (sessionId, command) => transact(sessionId, (tx) => set(tx, sessionId, command)),
  };
}

async function changesOf(tx: Tx, sighting: HomeSighting): Promise<SystemDraft[]> {
  const { home, kind, profile, name, found, made } = sighting;
  const last = (await HASH.get(tx, LAST, home, kind, profile, name))?.hash ?? "";
  const drafts: SystemDraft[] = [];
  if (found !== last) drafts.push(byHand(sighting, last));
  if (made) drafts.push(draftOf(sighting, { ...made, source: made.source ?? null }));
  return drafts;
}

type Emitted = { by: string; action: string; hash: string; source: string | null };

function byHand(sighting: HomeSighting, last: string): SystemDraft {
  const { kind, found: hash } = sighting;
  const seen = hash === "" ? "removed" : last === "" ? "created" : "edited";
  const action = kind === "memory" ? "edited" : seen;
  return draftOf(sighting, { by: "hand", action, hash, source: null });
}

function draftOf({ home, kind, profile, name }: HomeSighting, emitted: Emitted): SystemDraft {
  const { source, ...rest } = emitted;
  const drafts = {
    memory: { type: "memory.changed", payload: { ...rest, profile, target: name, home } },
    skill: { type: "skill.changed", payload: { ...rest, profile, name, source, home } },
  };
  return drafts[kind] as SystemDraft; // appending checks it
}

type Skills = Readonly<Record<string, SkillState>>;

async function skillsOf(
  sql: Pick<Sql, "get" | "all">,
  sessionId: string,
): Promise<Skills | undefined> {
  return (await DECIDED.get(sql, OF_SESSION, sessionId))?.skills;
}

async function set(
  tx: Tx,
  sessionId: string,
  { name, state }: SetSkill,
): Promise<Outcome | undefined> {
  const now = await skillsOf(tx, sessionId);
  if (!now) return undefined;
  const about = { session_id: sessionId };
  const { [name]: before = "offered", ...others } = now;
  if (before === state) return outcome("duplicate", { ...about, message: "It is so already." });
  const skills = state === "offered" ? others : { ...others, [name]: state };
  if (Object.keys(skills).length > MAX_OF_SESSION) {
    throw new ApiError("invalid_request", `A session decides about ${MAX_OF_SESSION} skills.`);
  }
  const event_id = await tx.append(sessionId, [{ type: "session.updated", payload: { skills } }]);
  return outcome("accepted", { ...about, event_id, message: "Changed." });
}
