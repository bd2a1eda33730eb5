// What each event says about its run's current activity. Stored as the plan's step, a line break and the action within
// it, so that a turn can change the action without reading the step.
import type { PayloadOf } from "../../events/events.ts";
import { short, THINKING } from "./describe-activity.ts";
import type { Projections } from "./projections.ts";
import type { Statement } from "../sql.ts";

const NOW = "coalesce(activity, '\n')";
/** For an UPDATE of logs; takes the text and the time. */
export const SET_DOING = `activity = substr(${NOW}, 1, instr(${NOW}, '\n')) || ?, activity_at = ?`;
const SET_STEP = `activity = ? || substr(${NOW}, instr(${NOW}, '\n'))`;

export const projectActivity: Projections = {
  "turn.started": ({ log_key }, _p, { at }) => [doingNow(log_key, THINKING, at)],
  recovery: ({ log_key }, p: PayloadOf<"recovery">, { at }) => {
    const words =
      p.handed_over === true ? "going on with another runner" : "going on after a crash";
    return [doingNow(log_key, words, at)];
  },
  compaction: ({ log_key }, p: PayloadOf<"compaction">, { at }) => {
    const words = p.phase === "completed" ? THINKING : "compressing the conversation";
    return [doingNow(log_key, words, at)];
  },
  "plan.step_started": ({ log_key }, p: PayloadOf<"plan.step_started">, { at }) => {
    const sql = `UPDATE logs SET ${SET_STEP}, activity_at = ? WHERE log_key = ?`;
    return [[sql, short(p.name), at, log_key]];
  },
  "plan.step_completed": ({ log_key }) => [noStep(log_key)],
  "plan.replanned": ({ log_key }) => [noStep(log_key)],
  "plan.completed": ({ log_key }) => [noStep(log_key)],
  "plan.escalated": ({ log_key }) => [noStep(log_key)],
};

function doingNow(logKey: number, words: string, at: number): Statement {
  return [`UPDATE logs SET ${SET_DOING} WHERE log_key = ?`, words, at, logKey];
}

function noStep(logKey: number): Statement {
  return [`UPDATE logs SET ${SET_STEP} WHERE log_key = ?`, "", logKey];
}
