// Schedules: what is to be done when, and what became of each time that was due. Everything that is known of a
// schedule follows from these, so its prompt stands in them.
import { z } from "zod";
import { defineSystemEvent } from "../../kernel/events/event.ts";
import type {} from "../../kernel/events/system-events.ts";
import { Budget } from "../../kernel/events/catalogue/lifecycle.ts";

const by = z.string().min(1).max(300);
const Seconds = z.number();

/** Of times that were missed because nothing ran: none, one for all of them, or each of the newest. */
export const CATCH_UPS = ["none", "last", "all"] as const;
/** While a run of the schedule still goes: leave the time out, put it behind (in one session), or start it beside. */
export const OVERLAPS = ["skip", "queue", "start"] as const;
export const TICK_RESULTS = ["fired", "caught_up", "skipped", "overlapped"] as const;

export const CronJob = z.object({
  name: z.string(),
  schedule: z.string(),
  time_zone: z.string(), // IANA
  prompt: z.string(),
  skills: z.array(z.string()),
  deliver: z.string(), // "local", "channel:<id>:<peer>", or a messenger: "telegram", "slack:C123"
  session: z.string(), // "new": one each time; "own": always the job's; otherwise that session
  profile: z.string().nullable(),
  model: z.string().nullable(),
  workspace: z.string().nullable(),
  budget: Budget.nullable(),
  catch_up: z.enum(CATCH_UPS),
  catch_up_max: z.int().positive(), // with "all"
  overlap: z.enum(OVERLAPS),
  grace_s: z.int().nonnegative(), // how late is still on time
  allow_risky: z.boolean(), // its prompt was looked through, and is meant so
});
export type CronJob = Readonly<z.infer<typeof CronJob>>;

/** `next_at`: the next time that will be due, null when there is none. `anchor_at`: where "every 15m" counts from. */
export const CronJobSet = defineSystemEvent("cron.job_set", {
  by,
  job_id: z.string(),
  job: CronJob,
  changed: z.array(z.string()), // nothing: it is new
  anchor_at: Seconds,
  next_at: Seconds.nullable(),
});
export const CronJobPaused = defineSystemEvent("cron.job_paused", { by, job_id: z.string() });
export const CronJobResumed = defineSystemEvent("cron.job_resumed", {
  by,
  job_id: z.string(),
  next_at: Seconds.nullable(),
});
export const CronJobRemoved = defineSystemEvent("cron.job_removed", { by, job_id: z.string() });

/** What became of a time that was due; or, where many were skipped, of all from `due_at` to `through_at`. */
export const CronTicked = defineSystemEvent("cron.ticked", {
  by,
  job_id: z.string(),
  due_at: Seconds,
  through_at: Seconds,
  times: z.int().positive().nullable(), // null: too many to count
  result: z.enum(TICK_RESULTS),
  reason: z.string(), // empty: as it should be
  run_id: z.string().nullable(),
  session_id: z.string().nullable(),
  deliver: z.string(),
  next_at: Seconds.nullable(),
});

/** A run that a person asked for, beside the schedule. */
export const CronRan = defineSystemEvent("cron.ran", {
  by,
  job_id: z.string(),
  run_id: z.string(),
  session_id: z.string(),
  deliver: z.string(),
});

export const DELIVERY_STATES = ["ready", "delivered", "undelivered", "failed"] as const;

/** The run has ended (`status`), and what became of its answer (ready: a messenger has it). A later one replaces it. */
export const CronDelivered = defineSystemEvent("cron.delivered", {
  by,
  job_id: z.string(),
  run_id: z.string(),
  session_id: z.string(),
  target: z.string(),
  state: z.enum(DELIVERY_STATES),
  status: z.string(), // of the run
  reason: z.string(),
});

export const CRON_EVENTS = [
  CronJobSet,
  CronJobPaused,
  CronJobResumed,
  CronJobRemoved,
  CronTicked,
  CronRan,
  CronDelivered,
] as const;

declare module "../../kernel/events/system-events.ts" {
  interface SystemEvents {
    schedules: z.infer<(typeof CRON_EVENTS)[number]>;
  }
}
