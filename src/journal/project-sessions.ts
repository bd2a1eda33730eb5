// What each event does to the list of sessions, and to the order of what waits in one.
import type { PayloadOf } from "../protocol/events.ts";
import type { Database } from "./database.ts";
import { folded } from "./message-index.ts";
import type { ProjectedLog, Projections } from "./projections.ts";

export const projectSessions: Projections = {
  "session.created": (db, log, p: PayloadOf<"session.created">) => {
    db.run(
      `UPDATE sessions SET title = ?, title_key = ?, source = ?, workspace = ?, model = ?, profile = ?,
       parent_session_id = ?, project_id = ?, branched_from = ? WHERE session_key = ?`,
      p.title,
      folded(p.title),
      p.source,
      p.workspace,
      p.model,
      p.profile,
      p.parent_session_id,
      p.project_id ?? null,
      p.branched_from ? JSON.stringify(p.branched_from) : null,
      log.session_key,
    );
  },
  "session.updated": (db, log, p: PayloadOf<"session.updated">) => {
    db.run(
      `UPDATE sessions SET model = coalesce(?, model), workspace = coalesce(?, workspace),
       profile = coalesce(?, profile), yolo = coalesce(?, yolo), deleted = coalesce(?, deleted),
       pinned = coalesce(?, pinned), permissions = coalesce(?, permissions) WHERE session_key = ?`,
      p.model ?? null,
      p.workspace ?? null,
      p.profile ?? null,
      flag(p.yolo),
      flag(p.deleted),
      flag(p.pinned),
      p.permissions ? JSON.stringify(p.permissions) : null,
      log.session_key,
    );
    if (p.project_id !== undefined) {
      const sql = "UPDATE sessions SET project_id = ? WHERE session_key = ?";
      db.run(sql, p.project_id, log.session_key);
    }
    if (p.dismissed_run_id === undefined) return;
    const sql = "UPDATE logs SET dismissed = 1 WHERE session_key = ? AND log_id = ?";
    db.run(sql, log.session_key, p.dismissed_run_id);
  },
  "session.rewound": (db, log, p: PayloadOf<"session.rewound">, { sessionSeq }) => {
    db.run(
      `UPDATE logs SET rewound_at = ? WHERE session_key = ? AND kind = 'run'
       AND rewound_at IS NULL AND log_id IN (SELECT value FROM json_each(?))`,
      sessionSeq,
      log.session_key,
      JSON.stringify(p.run_ids),
    );
  },
  "title.updated": (db, log, p: PayloadOf<"title.updated">) => {
    db.run(
      "UPDATE sessions SET title = ?, title_key = ?, title_source = ? WHERE session_key = ?",
      p.title,
      folded(p.title),
      p.source,
      log.session_key,
    );
  },
  "goal.updated": (db, log, p: PayloadOf<"goal.updated">) => {
    const kept = p.status !== "cleared" && p.text !== null;
    db.run(
      "UPDATE sessions SET goal_text = ?, goal_status = ? WHERE session_key = ?",
      kept ? p.text : null,
      kept ? p.status : null,
      log.session_key,
    );
  },
  "goal.decided": (db, log, p: PayloadOf<"goal.decided">) => {
    const where = "WHERE session_key = ? AND goal_text IS NOT NULL";
    if (p.decision === "met") {
      db.run(`UPDATE sessions SET goal_text = NULL, goal_status = NULL ${where}`, log.session_key);
    } else if (p.decision === "blocked") {
      db.run(`UPDATE sessions SET goal_status = 'paused' ${where}`, log.session_key);
    }
  },
  "queue.updated": (db, log, p: PayloadOf<"queue.updated">) => {
    reorder(
      db,
      log,
      p.items.map(({ run_id }) => run_id),
    );
  },
};

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** The listed runs exchange their places until they stand as listed; nobody else's place changes. */
function reorder(db: Database, log: ProjectedLog, wanted: readonly string[]): void {
  if (wanted.length < 2) return;
  const rows = db.all(
    `SELECT log_id, coalesce(position, log_key) AS place FROM logs
     WHERE session_key = ? AND log_id IN (SELECT value FROM json_each(?))`,
    log.session_key,
    JSON.stringify(wanted),
  );
  const places = new Map(rows.map((row) => [row["log_id"] as string, row["place"] as number]));
  const sorted = [...places.values()].toSorted((a, b) => a - b);
  const known = wanted.filter((runId) => places.has(runId));
  for (const [index, runId] of known.entries()) {
    const place = sorted[index];
    if (place === undefined || place === places.get(runId)) continue;
    db.run("UPDATE logs SET position = ? WHERE log_id = ?", place, runId);
  }
}
