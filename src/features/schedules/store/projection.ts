// What the house's events about schedules do to the lists of them.
import type { PayloadOfSystem } from "../../../kernel/events/system-events.ts";
import type { Projections } from "../../../kernel/journal/project/projections.ts";
import type { Statement } from "../../../kernel/journal/sql.ts";

/** Rows of a schedule's history; its events stay. */
const KEPT = 1_000;

const SET = `INSERT INTO cron_jobs (job_id, body, anchor_at, next_at, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (job_id) DO UPDATE SET body = excluded.body, anchor_at = excluded.anchor_at,
    next_at = excluded.next_at, updated_at = excluded.updated_at`;
/** New again after it was removed. */
const BEGIN = `UPDATE cron_jobs SET removed = 0, paused = 0, created_at = ? WHERE job_id = ?`;
const PAUSE = `UPDATE cron_jobs SET paused = 1, updated_at = ? WHERE job_id = ?`;
const RESUME = `UPDATE cron_jobs SET paused = 0, next_at = ?, updated_at = ? WHERE job_id = ?`;
const REMOVE = `UPDATE cron_jobs SET removed = 1, updated_at = ? WHERE job_id = ?`;
const DECIDED = `UPDATE cron_jobs SET next_at = ?, decided_to = ? WHERE job_id = ?`;
const TICK = `INSERT INTO cron_ticks
  (seq, job_id, due_at, through_at, times, result, reason, decided_at, run_id, session_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const FORGET_OLD = `DELETE FROM cron_ticks WHERE job_id = ?1 AND seq <
  (SELECT seq FROM cron_ticks WHERE job_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT - 1})`;
const WAIT = `INSERT INTO deliveries (run_id, job_id, session_id, target, state, reason, changed_at)
  VALUES (?, ?, ?, ?, 'waiting', '', ?)`;
const DELIVER = "UPDATE deliveries SET state = ?, reason = ?, changed_at = ? WHERE run_id = ?";

type Waiting = Pick<PayloadOfSystem<"cron.ran">, "run_id" | "job_id" | "session_id" | "deliver">;

const waiting = ({ run_id, job_id, session_id, deliver }: Waiting, at: number): Statement => [
  WAIT,
  run_id,
  job_id,
  session_id,
  deliver,
  at,
];

export const projectCron: Projections = {
  "cron.job_set": (_log, p: PayloadOfSystem<"cron.job_set">, { at }) => [
    [SET, p.job_id, JSON.stringify(p.job), p.anchor_at, p.next_at, at, at],
    ...(p.changed.length === 0 ? ([[BEGIN, at, p.job_id]] as const) : []),
  ],
  "cron.job_paused": (_log, p: PayloadOfSystem<"cron.job_paused">, { at }) => [
    [PAUSE, at, p.job_id],
  ],
  "cron.job_resumed": (_log, p: PayloadOfSystem<"cron.job_resumed">, { at }) => [
    [RESUME, p.next_at, at, p.job_id],
  ],
  "cron.job_removed": (_log, p: PayloadOfSystem<"cron.job_removed">, { at }) => [
    [REMOVE, at, p.job_id],
  ],
  "cron.ticked": (_log, p: PayloadOfSystem<"cron.ticked">, { seq, at }) => {
    const { job_id, due_at, through_at, times, result, reason, run_id, session_id } = p;
    const decided = [due_at, through_at, times, result, reason, at, run_id, session_id] as const;
    return [
      [TICK, seq, job_id, ...decided],
      [DECIDED, p.next_at, through_at, job_id],
      [FORGET_OLD, job_id],
      ...(run_id !== null && session_id !== null
        ? [waiting({ ...p, run_id, session_id }, at)]
        : []),
    ];
  },
  "cron.ran": (_log, p: PayloadOfSystem<"cron.ran">, { seq, at }) => [
    [TICK, seq, p.job_id, at, at, 1, "manual", `${p.by} asked for it`, at, p.run_id, p.session_id],
    [FORGET_OLD, p.job_id],
    waiting(p, at),
  ],
  "cron.delivered": (_log, p: PayloadOfSystem<"cron.delivered">, { at }) => [
    [DELIVER, p.state, p.reason, at, p.run_id],
  ],
};
