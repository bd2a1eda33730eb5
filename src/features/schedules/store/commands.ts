// Making, changing, pausing and removing schedules. What is due and undecided at that moment is decided there and
// then (skipped, with the reason), so that no time is ever left without an answer.
import type { CronJob } from "../events.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { jobName, targetOf, type CreateCronJob } from "../commands.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { SystemDraft } from "../../../kernel/events/system-events.ts";
import { riskyIn } from "../risky-prompt.ts";
import type { Cron } from "./schedules.ts";
import { findJob, lockOf, timesOfJob, type JobRow } from "./jobs.ts";
import { planSkip } from "./plan.ts";
import { appendToSystemLog } from "../../../kernel/journal/system-log/system-log.ts";
import { outcome } from "../../../kernel/journal/admit/idempotency.ts";
import { newId } from "../../../kernel/journal/admit/new-session.ts";
import { keptSchedule, timesOf, zoneNamed } from "./times.ts";
import type { Transact, Tx } from "../../../kernel/journal/transaction.ts";
import { defined } from "../../../kernel/events/defined.ts";

const MAX_JOBS = 1_000;

export function createCronJob(transact: Transact): Cron["createCronJob"] {
  return ({ job_id: jobId = newId("cron"), paused, name, ...wanted }, by) =>
    transact(lockOf(jobId), async (tx): Promise<Outcome> => {
      const job = admitted({ ...wanted, name: name ?? jobName(wanted) }, tx.now);
      const known = await findJob(tx, jobId);
      if (known && !known.removed) {
        return sameJob(known.job, tx.clean(job))
          ? about(jobId, "duplicate", "The schedule exists already.")
          : about(jobId, "conflict", "There is another schedule of that id.");
      }
      await requireSpace(tx);
      const next_at = firstTime(job, tx.now, Math.max(tx.now, known?.decided_to ?? 0));
      const set = { by, job_id: jobId, job, changed: [], anchor_at: tx.now, next_at };
      const drafts: SystemDraft[] = [{ type: "cron.job_set", payload: set }];
      if (paused) drafts.push({ type: "cron.job_paused", payload: { by, job_id: jobId } });
      await appendToSystemLog(tx, drafts);
      return about(jobId, "accepted", "The schedule is there.");
    });
}

export function updateCronJob(transact: Transact): Cron["updateCronJob"] {
  return (jobId, command, by) =>
    transact(lockOf(jobId), async (tx): Promise<Outcome | undefined> => {
      const known = await findJob(tx, jobId);
      if (!known || known.removed) return undefined;
      const job = admitted({ ...known.job, ...defined(command) } as CronJob, tx.now);
      const changed = differences(known.job, tx.clean(job));
      if (changed.length === 0) return about(jobId, "duplicate", "It is so already.");
      const retimed = changed.includes("schedule") || changed.includes("time_zone");
      const moved = retimed
        ? { anchor_at: tx.now, next_at: firstTime(job, tx.now, later(known, tx.now)) }
        : { anchor_at: known.anchor_at, next_at: known.next_at };
      const reason = known.paused ? PAUSED : "the schedule was changed";
      const drafts = retimed ? closing(known, tx.now, { by, reason }) : [];
      const set = { by, job_id: jobId, job, changed, ...moved };
      await appendToSystemLog(tx, [...drafts, { type: "cron.job_set", payload: set }]);
      return about(jobId, "accepted", "Changed.");
    });
}

export function switchCronJob(transact: Transact): Cron["switchCronJob"] {
  return (jobId, act, by) =>
    transact(lockOf(jobId), async (tx): Promise<Outcome | undefined> => {
      const known = await findJob(tx, jobId);
      if (!known || known.removed) return undefined;
      if (act !== "remove" && known.paused === (act === "pause")) {
        return about(jobId, "duplicate", "It is so already.");
      }
      await appendToSystemLog(tx, switched(known, act, { by, now: tx.now }));
      return about(jobId, "accepted", DONE[act]);
    });
}

const PAUSED = "it was paused";
const DONE = {
  pause: "Paused.",
  resume: "It goes on.",
  remove: "Removed. Its runs stay.",
} as const;

type Switching = { readonly by: string; readonly now: number };

function switched(known: JobRow, act: keyof typeof DONE, { by, now }: Switching): SystemDraft[] {
  const { job_id } = known;
  const reason = act === "remove" && !known.paused ? "the schedule was removed" : PAUSED;
  const closed = closing(known, now, { by, reason });
  if (act === "pause") return [...closed, { type: "cron.job_paused", payload: { by, job_id } }];
  if (act === "remove") return [...closed, { type: "cron.job_removed", payload: { by, job_id } }];
  const next_at = closed[0] ? closed[0].payload.next_at : known.next_at;
  const payload = { by, job_id, next_at };
  return [...closed, { type: "cron.job_resumed", payload }];
}

type Closing = { readonly by: string; readonly reason: string };
type Ticked = Extract<SystemDraft, { type: "cron.ticked" }>;

function closing(known: JobRow, now: number, { by, reason }: Closing): Ticked[] {
  const plan = planSkip(timesOfJob(known), known.next_at, now);
  if (plan?.act !== "skip") return [];
  const { act: _act, ...range } = plan;
  const { job_id, job } = known;
  const none = { run_id: null, session_id: null, deliver: job.deliver };
  const payload = { by, job_id, ...range, result: "skipped" as const, reason, ...none };
  return [{ type: "cron.ticked", payload }];
}

/** Never a time that was decided already, also when the clock was set back. */
function later({ decided_to }: JobRow, now: number): number {
  return Math.max(now, decided_to ?? 0);
}

function firstTime(job: CronJob, anchor_at: number, after: number): number {
  const { schedule, time_zone } = job;
  const next = timesOf({ schedule, time_zone, anchor_at }).next(after);
  if (next !== null) return next;
  const message = "There is no such time any more: it lies in the past, or no calendar has it.";
  throw refused("schedule", message);
}

type Limits = NonNullable<CreateCronJob["budget"]>;

function limitsOf({ tokens = null, cost_usd = null, wall_s = null, tool_calls = null }: Limits) {
  return { tokens, cost_usd, wall_s, tool_calls };
}

type Wanted = Omit<CreateCronJob, "job_id" | "paused"> & { readonly name: string };

/** As it will be kept, or the reason why not. */
function admitted(wanted: Wanted, now: number): CronJob {
  const job = {
    ...wanted,
    schedule: keptSchedule(wanted.schedule, now),
    time_zone: zoneNamed(wanted.time_zone),
    budget: wanted.budget && limitsOf(wanted.budget),
  };
  if (job.prompt.trim() === "" && job.skills.length === 0) {
    throw refused("prompt", "Say what to do, or name a skill.");
  }
  const isOneSession = job.session !== "new" || targetOf(job.deliver)?.kind === "channel";
  if (job.overlap === "queue" && !isOneSession) {
    throw refused("overlap", "Runs queue in one session: choose a session, or another overlap.");
  }
  const found = job.allow_risky ? [] : riskyIn(`${job.name}\n${job.prompt}`);
  if (found.length > 0) {
    const message = `prompt: it reads like an attack (${found.join(", ")}). If it is meant so, allow it with allow_risky.`;
    throw new ApiError("invalid_request", message, { reason: "risky_prompt", found });
  }
  return ordered(job);
}

function ordered(job: CronJob): CronJob {
  const entries = Object.entries(job).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries) as CronJob;
}

function differences(before: CronJob, after: CronJob): string[] {
  const names = Object.keys(after) as (keyof CronJob)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

const sameJob = (one: CronJob, other: CronJob) => differences(one, other).length === 0;

async function requireSpace(tx: Tx): Promise<void> {
  const row = await tx.get("SELECT count(*) AS many FROM cron_jobs WHERE removed = 0");
  if (Number(row?.["many"]) < MAX_JOBS) return;
  throw new ApiError("invalid_request", `There are ${MAX_JOBS} schedules. Remove one first.`);
}

function refused(field: string, message: string): ApiError {
  const details = { issues: [{ path: field, message }] };
  return new ApiError("invalid_request", `${field}: ${message}`, details);
}

function about(job_id: string, status: Outcome["status"], message: string): Outcome {
  return { ...outcome(status, { message }), payload: { job_id } };
}
