// Schedules and what became of their times, as the API tells them.
import { z } from "zod";
import { CronJob, DELIVERY_STATES, TICK_RESULTS } from "./events.ts";
import { RUN_STATUSES } from "../../kernel/state/run/status.ts";

const Seconds = z.number().describe("unix seconds");

export const CronDelivery = z.object({
  target: z.string(),
  state: z.enum(["waiting", ...DELIVERY_STATES]).describe("waiting: the run has not ended"),
  reason: z.string(),
});
export type CronDelivery = Readonly<z.infer<typeof CronDelivery>>;

export const CronTick = z.object({
  seq: z.int().positive().describe("of the house's event that decided it"),
  job_id: z.string(),
  result: z
    .enum([...TICK_RESULTS, "manual"])
    .describe("`manual`: a person asked for it; no time was due"),
  due_at: Seconds,
  through_at: Seconds.describe("the last one, where many were skipped at once"),
  times: z.int().positive().nullable().describe("how many; null: too many to count"),
  reason: z.string(),
  decided_at: Seconds,
  run_id: z.string().nullable(),
  session_id: z.string().nullable(),
  status: z.enum(RUN_STATUSES).nullable().describe("of its run"),
  output: z.string().nullable().describe("the beginning of what the run said last"),
  delivery: CronDelivery.nullable(),
});
export type CronTick = Readonly<z.infer<typeof CronTick>>;

export const CronJobRecord = z.object({
  ...CronJob.shape,
  job_id: z.string(),
  state: z.enum(["active", "paused", "over"]).describe("over: no time will come any more"),
  words: z.string().describe("the schedule in words"),
  next_at: Seconds.nullable(),
  last: CronTick.nullable().describe("what was decided last"),
  created_at: Seconds,
  updated_at: Seconds,
});
export type CronJobRecord = Readonly<z.infer<typeof CronJobRecord>>;

export const CronJobsView = z.object({
  jobs: z.array(CronJobRecord).describe("the next one first"),
  time_zone: z.string().describe("of the server"),
  channels: z.array(z.string()).describe("that an answer can be delivered to"),
  messengers: z.array(z.string()).describe("that are configured"),
});
export type CronJobsView = Readonly<z.infer<typeof CronJobsView>>;

export const CronHistory = z.object({
  job_id: z.string(),
  ticks: z.array(CronTick).describe("newest first"),
  next: z.int().positive().nullable().describe("`before` of the next page; null: there is none"),
});
export type CronHistory = Readonly<z.infer<typeof CronHistory>>;

export const CronPreview = z.object({
  words: z.string(),
  time_zone: z.string(),
  times: z.array(Seconds).describe("the next ones; nothing: there is none"),
});
export type CronPreview = Readonly<z.infer<typeof CronPreview>>;
