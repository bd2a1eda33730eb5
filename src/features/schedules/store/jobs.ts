// Schedules as commands and decisions see them: the row, and its times.
import type { CronJob } from "../events.ts";
import { timesOf, type Times } from "./times.ts";
import type { Row } from "../../../kernel/journal/sql.ts";
import type { Tx } from "../../../kernel/journal/transaction.ts";
import { json, rowsOf } from "../../../kernel/journal/rows.ts";
import { CRON_JOBS } from "../../../kernel/journal/tables/schedules.ts";

export type JobRow = {
  readonly job_id: string;
  readonly job: CronJob;
  readonly anchor_at: number;
  readonly next_at: number | null;
  readonly decided_to: number | null;
  readonly paused: boolean;
  readonly removed: boolean;
  readonly created_at: number;
  readonly updated_at: number;
};

/** Whoever decides about a schedule holds this first, then a session, then the house. */
export const lockOf = (jobId: string) => `cron ${jobId}`;

export const JOB = `SELECT job_id, body, anchor_at, next_at, decided_to, paused, removed, created_at, updated_at
  FROM cron_jobs`;

const STORED = rowsOf("cron_jobs", { ...CRON_JOBS.columns, body: json<CronJob>() });

export async function findJob(tx: Tx, jobId: string): Promise<JobRow | undefined> {
  const row = await tx.get(`${JOB} WHERE job_id = ?`, jobId);
  return row && toJobRow(row);
}

export function toJobRow(stored: Row): JobRow {
  const { body: job, ...row } = STORED.of(stored);
  return { ...row, job };
}

export function timesOfJob({ job, anchor_at }: Pick<JobRow, "job" | "anchor_at">): Times {
  return timesOf({ schedule: job.schedule, time_zone: job.time_zone, anchor_at });
}
