// Executes one claimed run: ask the state what comes next, do it, journal it, until it has ended.
import type { Draft } from "../protocol/events.ts";
import { findTool, toSnapshot } from "../protocol/run-state.ts";
import { isTerminal } from "../protocol/run-status.ts";
import { ModelError, type Model } from "./models/model.ts";
import { nextStep } from "./next-step.ts";
import { beginRun, type Failure, type RecoveryPolicy } from "./recovery.ts";
import { backoffMs, progressDraft, type RetryPolicy, waitFor } from "./retry.ts";
import { Cancelled, type RunLog } from "./run-log.ts";
import { cancelledCalls, openChildren, settleCall } from "./settle-call.ts";
import type { ToolHost } from "./tool-host-client.ts";
import { TOOLS } from "./tools/registry.ts";
import { callModel, cutShort } from "./turn.ts";

export type RunDeps = {
  runnerId: string;
  model: (name: string) => Model;
  host: (workspace: string) => ToolHost;
  claimedUntil: () => bigint;
  recovery: RecoveryPolicy;
  retry: RetryPolicy;
};

const SNAPSHOT_EVERY = 200;

export async function executeRun(log: RunLog, deps: RunDeps): Promise<void> {
  try {
    const failure = await beginRun(log, deps.runnerId, deps.recovery);
    if (failure) return await end(log, failure);
    await work(log, deps);
  } catch (error) {
    if (error instanceof Cancelled || log.signal.reason instanceof Cancelled) return cancel(log);
    if (log.signal.aborted) throw error; // the claim is gone or the runner stops: leave it as it is
    if (!(error instanceof ModelError)) throw error;
    await end(log, { code: `model_${error.code}`, message: error.message, status: "failed" });
  }
}

async function work(log: RunLog, deps: RunDeps): Promise<void> {
  let snapshotAt = log.state.seq;
  while (!isTerminal(log.state.status)) {
    log.signal.throwIfAborted();
    const step = nextStep(log.state);
    switch (step.do) {
      case "cancel":
        return cancel(log);
      case "call_model":
        await modelStep(log, deps, step);
        break;
      case "supersede": {
        const message = "Interrupted; the step starts again.";
        const payload = { turn_id: step.turnId, reason: "runner_lost" as const, message };
        await log.append([{ type: "turn.superseded", payload }]);
        break;
      }
      case "settle_tools":
        await settleCalls(log, deps, step.calls);
        break;
      case "close_turn": {
        const payload = { turn_id: step.turnId, finish_reason: "done" };
        await log.append([{ type: "turn.completed", payload }]);
        break;
      }
      case "complete":
        if (await log.appendIfCurrent(endDrafts(log, { status: "completed", error: null }))) return;
        break; // something was admitted meanwhile: a steer, a cancel
      default:
        step satisfies never;
    }
    if (log.state.seq - snapshotAt > SNAPSHOT_EVERY) {
      snapshotAt = log.state.seq;
      await log.journal.saveSnapshot(toSnapshot(log.state));
    }
  }
}

/** Waits for all, so that no call goes on behind a run that has moved on; then throws the first failure. */
async function settleCalls(log: RunLog, deps: RunDeps, callIds: readonly string[]): Promise<void> {
  const host = deps.host(log.state.workspace);
  let previous = Promise.resolve();
  const calls = callIds.map((id) => {
    const settle = () => settleCall(log, id, { host, claimedUntil: deps.claimedUntil });
    if (!TOOLS.get(findTool(log.state, id)?.name ?? "")?.inOrder) return settle();
    previous = previous.then(settle);
    return previous;
  });
  const results = await Promise.allSettled(calls);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

async function modelStep(
  log: RunLog,
  deps: RunDeps,
  { index, attempt }: { index: number; attempt: number },
): Promise<void> {
  try {
    await callModel(log, deps.model(log.state.model), { index, attempt });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    await log.refresh();
    const cut = log.state.turn;
    const failures = (cut?.index === index ? cut.failures : 0) + 1;
    const again = error.retryable && failures < deps.retry.maxAttempts;
    const payload = {
      turn_id: cut?.turnId ?? "",
      reason: "model_error" as const,
      message: error.message,
    };
    const superseded: Draft[] =
      cut?.phase === "model" ? [{ type: "turn.superseded", payload }] : [];
    if (!again) {
      if (superseded.length > 0) await log.append(superseded);
      throw error;
    }
    const waitMs = backoffMs(deps.retry, failures, error.retryAfterMs);
    await log.append([
      ...superseded,
      progressDraft(error, { waitMs, failures, policy: deps.retry }),
    ]);
    await waitFor(waitMs, log.signal);
  }
}

async function cancel(log: RunLog): Promise<void> {
  await log.flush();
  await log.refresh();
  for (const childRunId of openChildren(log)) {
    await log.journal.cancelRun(childRunId, { reason: "its parent was stopped" });
  }
  await log.append([...cutShort(log), ...cancelledCalls(log)]);
  await end(log, { status: "cancelled" });
}

type Ending = { status: "completed" | "cancelled"; error?: null } | Failure;

/** The one terminal event. Admitted commands are folded first, so an accepted cancel always wins. */
async function end(log: RunLog, ending: Ending): Promise<void> {
  if ("code" in ending) {
    const { code, message } = ending;
    await log.append([{ type: "error", payload: { code, message, retryable: false } }]);
  }
  for (;;) {
    const cancelling = log.state.status === "cancelling";
    const final: Ending = cancelling ? { status: "cancelled" } : ending;
    if (await log.appendIfCurrent(endDrafts(log, final))) break;
  }
  await log.journal.saveSnapshot(toSnapshot(log.state));
}

function endDrafts(log: RunLog, ending: Ending): Draft[] {
  const { state } = log;
  const [provider = "", ...model] = state.model.split("/");
  const duration_ms = Math.max(0, Math.round((state.updatedAt - state.createdAt) * 1000));
  const { usage, result } = state;
  const error = "code" in ending ? { code: ending.code, message: ending.message } : null;
  const last_seq = state.seq + 2;
  return [
    { type: "usage.final", payload: { provider, model: model.join("/"), ...usage, duration_ms } },
    { type: "done", payload: { status: ending.status, result, error, usage, last_seq } },
  ];
}
