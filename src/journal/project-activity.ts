// What each event says about what its run is doing now. Stored as the plan's step, a line break, and what
// is done in it, so that a turn may change the second without knowing the first.
import type { PayloadOf } from "../protocol/events.ts";
import { short, THINKING } from "./activity-words.ts";
import type { Database } from "./database.ts";
import type { Projections } from "./projections.ts";

const NOW = "coalesce(activity, char(10))";
/** For an UPDATE of logs: takes the words and the time. */
export const SET_DOING = `activity = substr(${NOW}, 1, instr(${NOW}, char(10))) || ?, activity_at = ?`;
const SET_STEP = `activity = ? || substr(${NOW}, instr(${NOW}, char(10)))`;

export const projectActivity: Projections = {
  "turn.started": (db, { log_key }, _p, { at }) => doingNow(db, log_key, { words: THINKING, at }),
  recovery: (db, { log_key }, _p, { at }) =>
    doingNow(db, log_key, { words: "going on after a crash", at }),
  compaction: (db, { log_key }, p: PayloadOf<"compaction">, { at }) => {
    if (p.phase === "completed") return doingNow(db, log_key, { words: THINKING, at });
    doingNow(db, log_key, { words: "compressing the conversation", at });
  },
  "plan.step_started": (db, { log_key }, p: PayloadOf<"plan.step_started">, { at }) => {
    const sql = `UPDATE logs SET ${SET_STEP}, activity_at = ? WHERE log_key = ?`;
    db.run(sql, short(p.name), at, log_key);
  },
  "plan.step_completed": (db, { log_key }) => noStep(db, log_key),
  "plan.replanned": (db, { log_key }) => noStep(db, log_key),
  "plan.completed": (db, { log_key }) => noStep(db, log_key),
  "plan.escalated": (db, { log_key }) => noStep(db, log_key),
};

function doingNow(db: Database, logKey: number, { words, at }: { words: string; at: number }) {
  db.run(`UPDATE logs SET ${SET_DOING} WHERE log_key = ?`, words, at, logKey);
}

function noStep(db: Database, logKey: number): void {
  db.run(`UPDATE logs SET ${SET_STEP} WHERE log_key = ?`, "", logKey);
}
