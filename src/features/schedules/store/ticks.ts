// Decides about times that are due. Whoever is first decides, under the schedule's lock and by the database's clock;
// everyone else finds that there is nothing left to decide.
import type { PayloadOfSystem } from "../../../kernel/events/system-events.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import type { Cron, Decided } from "./schedules.ts";
import { findJob, lockOf, timesOfJob, type JobRow } from "./jobs.ts";
import { planTick, type Plan } from "./plan.ts";
import { startOccasion } from "./run.ts";
import { appendToSystemLog } from "../../../kernel/journal/system-log/system-log.ts";
import { once, outcome } from "../../../kernel/journal/admit/idempotency.ts";
import type { Defaults } from "../../../kernel/journal/journal.ts";
import { newId } from "../../../kernel/journal/admit/new-session.ts";
import type { Transact, Tx } from "../../../kernel/journal/transaction.ts";

const BY = "house";
const MISSED = "it was missed: nothing ran at that time";

export function decideTick(transact: Transact): Cron["decideTick"] {
  return (jobId, defaults, believes = () => true) =>
    transact(lockOf(jobId), async (tx): Promise<Decided> => {
      if (!believes(tx.now)) return { decided: false, now: tx.now, doubted: true };
      const row = await findJob(tx, jobId);
      const plan = row && planOf(row, tx.now);
      if (!row || !plan) return { decided: false, now: tx.now };
      if (catchesUpLater(row, plan) && (await isGoing(tx, jobId))) {
        return { decided: false, now: tx.now, waits: true };
      }
      const payload = await tick(tx, row, { plan, defaults });
      await appendToSystemLog(tx, [{ type: "cron.ticked", payload }]);
      return { decided: true, now: tx.now, tick: payload };
    });
}

function planOf(row: JobRow, now: number): Plan | null {
  const { next_at } = row;
  if (row.paused || row.removed || next_at === null) return null;
  return planTick(timesOfJob(row), row.job, { next_at, now });
}

/** All missed times are to run, but not side by side: the next one waits until the run before it has ended. */
function catchesUpLater({ job }: JobRow, plan: Plan): boolean {
  const isLate = plan.act === "run" && plan.result === "caught_up";
  return isLate && job.catch_up === "all" && job.overlap === "skip";
}

type Ticked = PayloadOfSystem<"cron.ticked">;
type Deciding = { readonly plan: Plan; readonly defaults: Defaults };

async function tick(tx: Tx, row: JobRow, { plan, defaults }: Deciding): Promise<Ticked> {
  const { job_id, job } = row;
  const { due_at, next_at } = plan;
  const about = { by: BY, job_id, due_at, deliver: job.deliver, next_at };
  const none = { run_id: null, session_id: null };
  if (plan.act === "skip") {
    const { through_at, times } = plan;
    return { ...about, through_at, times, result: "skipped", reason: MISSED, ...none };
  }
  const single = { ...about, through_at: due_at, times: 1 };
  if (job.overlap === "skip" && (await isGoing(tx, job_id))) {
    return { ...single, result: "overlapped", reason: "the run before it still goes", ...none };
  }
  const why = plan.result === "fired" ? "on time" : "late: nothing ran when it was due";
  const messageId = `cron:${job_id}:${due_at}`;
  const started = await startOccasion(
    tx,
    { jobId: job_id, job, messageId, at: due_at, why },
    defaults,
  );
  if (!started.ok) {
    const result = started.isFull ? "overlapped" : "skipped";
    return { ...single, result, reason: `it could not be started: ${started.problem}`, ...none };
  }
  const { run_id, session_id } = started;
  const reason = plan.result === "fired" ? "" : "caught up after a time in which nothing ran";
  return { ...single, result: plan.result, reason, run_id, session_id };
}

const GOING = `SELECT 1 AS yes FROM deliveries d JOIN logs l ON l.log_id = d.run_id
  WHERE d.job_id = ? AND d.state = 'waiting' AND l.ended_at IS NULL AND l.quarantined IS NULL LIMIT 1`;

async function isGoing(tx: Tx, jobId: string): Promise<boolean> {
  return (await tx.get(GOING, jobId)) !== undefined;
}

export function runCronJob(transact: Transact): Cron["runCronJob"] {
  return (jobId, { command_id, by }, defaults) =>
    transact(lockOf(jobId), async (tx): Promise<Outcome | undefined> => {
      const row = await findJob(tx, jobId);
      if (!row || row.removed) return undefined;
      const keyed = { scope: `cron:${jobId}`, key: command_id, command: "run" };
      return once(tx, keyed, () => runNow(tx, row, { by, defaults }));
    });
}

type Asked = { readonly by: string; readonly defaults: Defaults };

async function runNow(tx: Tx, { job_id, job }: JobRow, { by, defaults }: Asked): Promise<Outcome> {
  const messageId = `cron:${job_id}:${newId("msg")}`;
  const why = `${by} asked for it`;
  const occasion = { jobId: job_id, job, messageId, at: tx.now, why };
  const started = await startOccasion(tx, occasion, defaults);
  if (!started.ok) throw new ApiError("invalid_request", started.problem);
  const { run_id, session_id } = started;
  const payload = { by, job_id, run_id, session_id, deliver: job.deliver };
  const event_id = await appendToSystemLog(tx, [{ type: "cron.ran", payload }]);
  const said = { run_id, session_id, event_id, message: "The run is queued." };
  return { ...outcome("accepted", said), payload: { job_id } };
}
