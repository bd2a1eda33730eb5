// What an event of the system log does to its lists.
import type { SystemEvent } from "../../events/system-events.ts";
import type { Projection, Projections } from "./projections.ts";

const ENTRY = "INSERT INTO house_entries (seq, at, type, actor) VALUES (?, ?, ?, ?)";
/** Keeps the system log out of every list of sessions. */
const HIDDEN = "UPDATE sessions SET deleted = 1 WHERE session_key = ?";

const entry =
  (type: string): Projection =>
  (_log, payload: { by: string }, { seq, at }) => [[ENTRY, seq, at, type, payload.by]];

type Noted<Type> = Extract<SystemEvent, { type: Type }>["payload"];

const NOTED = `INSERT INTO home_notes
    (home, kind, profile, name, hash, at, actor, action, source, installed_hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (home, kind, profile, name) DO UPDATE SET
    hash = excluded.hash, at = excluded.at, actor = excluded.actor, action = excluded.action`;
/** An edited skill stays the installed one; a new skill of the same name replaces it. */
const ANOTHER = ", source = excluded.source, installed_hash = excluded.installed_hash";

/** Every type is in the list of all events. */
export const projectSystemLog = (types: readonly string[]): Projections => ({
  ...Object.fromEntries(types.map((type) => [type, entry(type)])),
  "house.opened": (log, payload, place) => [
    [HIDDEN, log.session_key],
    ...entry("house.opened")(log, payload, place),
  ],
  "memory.changed": (log, p: Noted<"memory.changed">, place) => [
    ...entry("memory.changed")(log, p as never, place),
    [
      NOTED,
      p.home ?? "",
      "memory",
      p.profile,
      p.target,
      p.hash,
      place.at,
      p.by,
      p.action,
      null,
      null,
    ],
  ],
  "skill.changed": (log, p: Noted<"skill.changed">, place) => {
    const about = [
      p.home ?? "",
      "skill",
      p.profile,
      p.name,
      p.hash,
      place.at,
      p.by,
      p.action,
    ] as const;
    const installed = p.action === "installed" ? p.hash : null;
    const sql = p.action === "edited" ? NOTED : `${NOTED}${ANOTHER}`;
    return [
      ...entry("skill.changed")(log, p as never, place),
      [sql, ...about, p.source, installed],
    ];
  },
});
