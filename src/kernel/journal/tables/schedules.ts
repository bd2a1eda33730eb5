// Schedules, the results of due times, and the deliveries of answers.
import { flag, id, integer, nullable, real, small, text } from "../rows.ts";
import { column, table } from "./table.ts";

export const CRON_JOBS = table(
  "cron_jobs",
  {
    since: 10,
    kind: "list",
    indexes: { cron_jobs_next: "(next_at) WHERE removed = 0 AND paused = 0" },
  },
  {
    job_id: column(id, { key: "primary" }),
    body: text, // JSON of a CronJob
    anchor_at: real,
    next_at: nullable(real), // the first undecided time
    decided_to: nullable(real), // the newest decided time
    paused: column(flag, { default: 0 }),
    removed: column(flag, { default: 0 }),
    created_at: real,
    updated_at: real,
  },
);

export const CRON_TICKS = table(
  "cron_ticks",
  {
    since: 10,
    kind: "list",
    indexes: {
      cron_ticks_job: "(job_id, seq)",
      cron_ticks_once: { on: "(job_id, due_at) WHERE result <> 'manual'", unique: true },
    },
  },
  {
    seq: column(integer, { key: "primary" }), // of the event in the system log
    job_id: id,
    due_at: real,
    through_at: real,
    times: nullable(small),
    result: text,
    reason: text,
    decided_at: real,
    run_id: nullable(id),
    session_id: nullable(id),
  },
);

export const DELIVERIES = table(
  "deliveries",
  {
    since: 10,
    kind: "list",
    indexes: { deliveries_open: "(state, changed_at) WHERE state IN ('waiting', 'ready')" },
  },
  {
    run_id: column(id, { key: "primary" }),
    job_id: id,
    session_id: id,
    target: text,
    state: text,
    reason: text,
    changed_at: real,
  },
);
