// Schedules and their history as they are shown.
import { CronDelivery, CronTick, type CronJobRecord } from "../records.ts";
import { describeSchedule } from "../describe-schedule.ts";
import type { Cron, DueJob } from "./schedules.ts";
import { JOB, toJobRow, type JobRow } from "./jobs.ts";
import { RUN_STATUSES } from "../../../kernel/state/run/status.ts";
import { nullable, oneOf, rowsOf, text, type RowOf } from "../../../kernel/journal/rows.ts";
import type { Sql } from "../../../kernel/journal/sql.ts";
import { CRON_TICKS } from "../../../kernel/journal/tables/schedules.ts";

const PREVIEW = 400; // characters of an answer

const TICK = `
  SELECT t.seq, t.job_id, t.result, t.due_at, t.through_at, t.times, t.reason, t.decided_at, t.run_id, t.session_id,
    l.status, d.target, d.state, d.reason AS why,
    (SELECT substr(m.text, 1, ${PREVIEW}) FROM messages m
     WHERE m.log_key = l.log_key AND m.role = 'assistant' AND m.text <> '' ORDER BY m.seq DESC LIMIT 1) AS output
  FROM cron_ticks t LEFT JOIN logs l ON l.log_id = t.run_id LEFT JOIN deliveries d ON d.run_id = t.run_id`;
const LAST = `${TICK} WHERE t.seq IN (SELECT max(seq) FROM cron_ticks GROUP BY job_id)`;
const JOBS = `${JOB} WHERE removed = 0
  ORDER BY paused, CASE WHEN next_at IS NULL THEN 1 ELSE 0 END, next_at, job_id`;
const DUE = `${JOB} WHERE removed = 0 AND paused = 0 AND next_at IS NOT NULL
  ORDER BY next_at LIMIT 100`;

const TICK_ROW = rowsOf("cron_ticks", {
  ...CRON_TICKS.columns,
  result: oneOf(CronTick.shape.result.options),
  status: nullable(oneOf(RUN_STATUSES)),
  target: nullable(text),
  state: nullable(oneOf(CronDelivery.shape.state.options)),
  why: nullable(text),
  output: nullable(text),
});

type CronReads = Pick<Cron, "cronJobs" | "cronJob" | "cronHistory" | "dueNext">;

export function cronReads(sql: Sql): CronReads {
  return {
    async cronJobs() {
      const rows = (await sql.all(JOBS)).map(toJobRow);
      const ticks = await TICK_ROW.all(sql, LAST);
      const last = new Map(ticks.map((row) => [row.job_id, toTick(row)]));
      return rows.map((row) => toRecord(row, last.get(row.job_id)));
    },
    async cronJob(jobId) {
      const found = `${JOB} WHERE job_id = ? AND removed = 0`;
      const row = await sql.get(found, jobId);
      if (!row) return undefined;
      const newest = `${TICK} WHERE t.job_id = ? ORDER BY t.seq DESC LIMIT 1`;
      const last = await TICK_ROW.get(sql, newest, jobId);
      return toRecord(toJobRow(row), last && toTick(last));
    },
    async cronHistory({ jobId, before = Number.MAX_SAFE_INTEGER, limit }) {
      const page = `${TICK} WHERE t.job_id = ? AND t.seq < ? ORDER BY t.seq DESC LIMIT ?`;
      return (await TICK_ROW.all(sql, page, jobId, before, limit)).map(toTick);
    },
    async dueNext() {
      return (await sql.all(DUE)).flatMap((row): DueJob[] => {
        const { job_id, next_at, decided_to, job } = toJobRow(row);
        return next_at === null ? [] : [{ job_id, next_at, decided_to, profile: job.profile }];
      });
    },
  };
}

function toRecord(row: JobRow, last: CronTick | undefined): CronJobRecord {
  const { job_id, job, next_at, paused, created_at, updated_at } = row;
  const state = paused ? "paused" : next_at === null ? "over" : "active";
  const words = describeSchedule(job.schedule);
  return { ...job, job_id, state, words, next_at, last: last ?? null, created_at, updated_at };
}

function toTick({ target, state, why, ...row }: RowOf<typeof TICK_ROW>): CronTick {
  const isDelivered = target !== null && state !== null && why !== null;
  return { ...row, delivery: isDelivered ? { target, state, reason: why } : null };
}
