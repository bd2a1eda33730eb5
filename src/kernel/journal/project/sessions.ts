// What each event does to the list of sessions, and to the order of a session's queue.
import type { PayloadOf } from "../../events/events.ts";
import { folded } from "../../search/query.ts";
import type { ProjectedLog, Projections } from "./projections.ts";
import type { Statement } from "../sql.ts";

const CREATED = `
  UPDATE sessions SET title = ?, title_key = ?, source = ?, workspace = ?, model = ?, profile = ?,
    parent_session_id = ?, project_id = ?, branched_from = ? WHERE session_key = ?`;
const UPDATED = `
  UPDATE sessions SET model = coalesce(?, model), workspace = coalesce(?, workspace),
    profile = coalesce(?, profile), yolo = coalesce(?, yolo), deleted = coalesce(?, deleted),
    pinned = coalesce(?, pinned), permissions = coalesce(?, permissions) WHERE session_key = ?`;
const DISMISSED = "UPDATE logs SET dismissed = 1 WHERE session_key = ? AND log_id = ?";
const REWOUND = `
  UPDATE logs SET rewound_at = ? WHERE session_key = ? AND kind = 'run'
    AND rewound_at IS NULL AND log_id IN (SELECT value FROM json_each(?))`;
const TITLED =
  "UPDATE sessions SET title = ?, title_key = ?, title_source = ? WHERE session_key = ?";
const GOAL = "UPDATE sessions SET goal_text = ?, goal_status = ? WHERE session_key = ?";
const WITH_GOAL = "WHERE session_key = ? AND goal_text IS NOT NULL";

export const projectSessions: Projections = {
  "session.created": ({ session_key }, p: PayloadOf<"session.created">) => {
    const from = p.branched_from ? JSON.stringify(p.branched_from) : null;
    const { title, source, workspace, model, profile, parent_session_id, project_id = null } = p;
    const about = [title, folded(title), source, workspace, model, profile] as const;
    return [[CREATED, ...about, parent_session_id, project_id, from, session_key]];
  },
  "session.updated": ({ session_key }, p: PayloadOf<"session.updated">) => {
    const { model = null, workspace = null, profile = null, project_id, dismissed_run_id } = p;
    const flags = [flag(p.yolo), flag(p.deleted), flag(p.pinned)] as const;
    const rules = p.permissions ? JSON.stringify(p.permissions) : null;
    const changed: Statement[] = [
      [UPDATED, model, workspace, profile, ...flags, rules, session_key],
    ];
    if (project_id !== undefined) {
      const sql = "UPDATE sessions SET project_id = ? WHERE session_key = ?";
      changed.push([sql, project_id, session_key]);
    }
    if (p.skills) {
      const sql = "UPDATE sessions SET skills = ? WHERE session_key = ?";
      changed.push([sql, JSON.stringify(p.skills), session_key]);
    }
    if (dismissed_run_id !== undefined) changed.push([DISMISSED, session_key, dismissed_run_id]);
    return changed;
  },
  "session.rewound": ({ session_key }, p: PayloadOf<"session.rewound">, { sessionSeq }) => [
    [REWOUND, sessionSeq, session_key, JSON.stringify(p.run_ids)],
  ],
  "title.updated": ({ session_key }, p: PayloadOf<"title.updated">) => [
    [TITLED, p.title, folded(p.title), p.source, session_key],
  ],
  "goal.updated": ({ session_key }, p: PayloadOf<"goal.updated">) => {
    const kept = p.status !== "cleared" && p.text !== null;
    return [[GOAL, kept ? p.text : null, kept ? p.status : null, session_key]];
  },
  "goal.decided": ({ session_key }, p: PayloadOf<"goal.decided">) => {
    if (p.decision === "met") {
      return [
        [`UPDATE sessions SET goal_text = NULL, goal_status = NULL ${WITH_GOAL}`, session_key],
      ];
    }
    if (p.decision !== "blocked") return [];
    return [[`UPDATE sessions SET goal_status = 'paused' ${WITH_GOAL}`, session_key]];
  },
  "queue.updated": (log, p: PayloadOf<"queue.updated">) =>
    reordered(
      log,
      p.items.map(({ run_id }) => run_id),
    ),
};

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** The listed runs exchange their places until they are in that order; no other run moves. */
function reordered({ session_key }: ProjectedLog, wanted: readonly string[]): readonly Statement[] {
  if (wanted.length < 2) return [];
  const list = wanted.map(() => "(CAST(? AS TEXT), CAST(? AS INTEGER))").join(", ");
  const sql = `
    WITH wanted (log_id, wish) AS (VALUES ${list}), known AS (
      SELECT l.log_key, coalesce(l.position, l.log_key) AS place,
        row_number() OVER (ORDER BY w.wish) AS wish,
        row_number() OVER (ORDER BY coalesce(l.position, l.log_key)) AS stands
      FROM logs l JOIN wanted w ON w.log_id = l.log_id WHERE l.session_key = ?)
    UPDATE logs SET position = moved.place
    FROM (SELECT a.log_key, b.place FROM known a JOIN known b ON b.stands = a.wish) AS moved
    WHERE logs.log_key = moved.log_key`;
  return [[sql, ...wanted.flatMap((runId, request) => [runId, request]), session_key]];
}
