// Resumes a run whose runner was lost: ends what is left of it, journals the loss, then lets the policy decide
// whether the run goes on (decision 10).
import type { RunRecord } from "../../api/records/records.ts";
import type { Draft } from "../../events/events.ts";
import type { RequestState } from "../../state/run/items.ts";
import type { RunState } from "../../state/run/state.ts";
import { controlsIn, type RunStatus } from "../../state/run/status.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import { get } from "../../state/vector.ts";
import { reapMarked } from "../../workspace/client/reap.ts";
import type { RunLog } from "./run-log.ts";

/** How the ids of our own questions begin. */
const RESUME = "re_";

export type RecoveryPolicy = {
  resume: "auto" | "ask" | "never";
  maxAgeS: number;
  maxAttempts: number;
};
type Sandbox = "none" | "bubblewrap";
type BeginDeps = {
  runnerId: string;
  recovery: RecoveryPolicy;
  sandbox: () => Promise<Sandbox>;
};
export type Failure = { code: string; message: string; status: "failed" | "expired" };

/** Journals the start or the recovery. A failure means the run may not go on. */
export async function beginRun(
  log: RunLog,
  { runnerId, recovery: policy, sandbox }: BeginDeps,
): Promise<Failure | undefined> {
  const { state } = log;
  if (state.runnerId === null && state.turn === null) {
    await log.append([startedDraft(log, runnerId, await sandbox())]);
    return undefined;
  }
  await reapMarked(state.runId); // X4: before anything goes on, nothing of the old runner does
  // Whoever renewed its lease was at it, however long nothing was to be told: a clock that was set then counts for both.
  // Who waited for a person was not idle, also when the answer comes while the loss is being journaled.
  const asked = Object.keys(state.pending).length > 0;
  const idleSince = asked ? Infinity : Math.max(state.updatedAt, log.claim.heldUntil ?? 0);
  const waited = state.status === "paused" && !asked;
  await log.append([recoveryDraft(log, runnerId), ...(waited ? [statusDraft("running")] : [])]);
  if (log.state.status === "cancelling") return undefined;
  return (await refusal(log, policy, idleSince)) ?? (await askToResume(log, policy));
}

function recoveryDraft({ state, claim }: RunLog, runnerId: string): Draft {
  const runners = { previous_runner_id: state.runnerId, runner_id: runnerId };
  if (claim.handedOver) {
    const attempt = Math.max(1, state.recoveries); // it adds none
    const message = "Another runner goes on with the run. Nothing was interrupted.";
    return { type: "recovery", payload: { attempt, handed_over: true, ...runners, message } };
  }
  const message = "The run was interrupted. A runner has taken the same run up again.";
  return { type: "recovery", payload: { attempt: state.recoveries + 1, ...runners, message } };
}

async function refusal(
  log: RunLog,
  policy: RecoveryPolicy,
  idleSince: number,
): Promise<Failure | undefined> {
  const { state, claim } = log;
  if (policy.resume === "never" && !claim.handedOver) {
    const message = "The runner was lost, and runs are configured not to be resumed.";
    return { code: "interrupted", message, status: "failed" };
  }
  if (Object.keys(state.pending).length > 0) return undefined; // waiting for a person has no age
  const below = await openBelow(log);
  if (below.some(({ status }) => WAITING.has(status))) return undefined; // their requests end with this run
  // What goes on below has attempts of its own.
  if (below.length === 0 && state.recoveries > policy.maxAttempts && !claim.handedOver) {
    const message = `The runner was lost ${state.recoveries} times in a row at the same point.`;
    return { code: "recovery_exhausted", message, status: "failed" };
  }
  const newest = Math.max(idleSince, ...below.map(({ updated_at }) => updated_at)); // an answer, perhaps
  if (state.updatedAt - newest > policy.maxAgeS) {
    const message = "The run was interrupted too long ago to be resumed by itself.";
    return { code: "recovery_expired", message, status: "expired" };
  }
  return undefined;
}

const WAITING: ReadonlySet<RunStatus> = new Set(["awaiting_approval", "awaiting_clarify"]);

/** Its subagents that have not ended, and theirs: a child's id begins with its parent's. */
async function openBelow({ journal, claim }: RunLog): Promise<RunRecord[]> {
  const runs = await journal.reads.runsOf(claim.sessionId);
  return runs.filter(
    ({ run_id, ended_at }) => ended_at === null && run_id.startsWith(`${claim.runId}.`),
  );
}

async function askToResume(log: RunLog, policy: RecoveryPolicy): Promise<Failure | undefined> {
  const asked = resumeQuestion(log.state);
  const waiting = Object.keys(log.state.pending).length > 0;
  const lost = !log.claim.handedOver; // what was handed over in order goes on without being asked about
  if (!asked && (policy.resume !== "ask" || waiting || !lost)) return undefined;
  const id = asked?.id ?? (await ask(log));
  while (log.state.pending[id]) await log.nextChange();
  if (resumeQuestion(log.state)?.answer?.choice !== "stop") return undefined;
  return {
    code: "interrupted",
    message: "A person chose not to resume the run.",
    status: "failed",
  };
}

async function ask(log: RunLog): Promise<string> {
  const clarify_id = `${RESUME}${log.claim.runId}_${log.claim.fence}`;
  const question: Draft = {
    type: "clarify.requested",
    payload: {
      clarify_id,
      call_id: null,
      question: "The runner was lost while this run was going. Continue it?",
      choices: ["continue", "stop"],
      input_mode: "choice",
      expires_at: null,
    },
  };
  await log.append([question, statusDraft("awaiting_clarify", "resume")]);
  return clarify_id;
}

/**
 * The question about this interruption, if it was asked already: nothing happened since but further
 * losses. Its answer counts whoever asked it, also when nobody was there to hear it (X1, X8).
 */
function resumeQuestion({ items }: RunState): RequestState | undefined {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = get(items, at);
    if (item?.kind === "user") continue;
    if (item?.kind !== "notice") return undefined;
    if (item.request?.id.startsWith(RESUME)) return item.request;
    if (item.code !== "recovery" && item.code !== "handover") return undefined;
  }
  return undefined;
}

function startedDraft(log: RunLog, runnerId: string, sandbox: Sandbox): Draft {
  const { model, workspace, profile, toolsets } = log.state;
  const context = { runner_id: runnerId, model, workspace, profile, toolsets: [...toolsets] };
  return {
    type: "run.started",
    payload: { ...context, sandbox, controls: controlsIn("running") },
  };
}
