// One model step: make room in the context window, call the model, handle failures. What was shown stays in the
// journal, so a retry never shows it twice as an answer.
import type { Draft } from "../../events/events.ts";
import { policyToRecord } from "../permissions/approvals.ts";
import { compress, isFull } from "../context/compaction.ts";
import { buildMessages } from "../context/context.ts";
import { ModelError, type Model } from "../models/model.ts";
import type { Agent } from "../permissions/policy.ts";
import { backoffMs, progressDraft, waitFor, type RetryPolicy } from "./retry.ts";
import type { RunDeps } from "./run-loop.ts";
import type { RunLog } from "./run-log.ts";
import { callModel } from "./turn.ts";

export type ModelStep = { index: number; attempt: number; agent: Agent };
type StepDeps = Pick<RunDeps, "model" | "retry">;

export async function modelStep(log: RunLog, deps: StepDeps, step: ModelStep): Promise<void> {
  const { index, attempt, agent } = step;
  const model = deps.model(log.state.model);
  const build = async () =>
    buildMessages(log.journal, log.state, await agent.system(log.localState), model);
  const messages = await build();
  // Has attempts of its own: counted with the turn's, which has none of them, they would never end.
  if (log.state.compacting || isFull(log.state, model, messages)) {
    return makeRoom(log, model, deps.retry);
  }
  const policy = index === 1 ? await policyToRecord(log, agent.policy) : undefined;
  const { toolset } = agent;
  try {
    await callModel(log, model, { index, attempt, toolset, messages, build, policy });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    await afterFailure(log, deps, { error, index });
  }
}

async function afterFailure(
  log: RunLog,
  { model, retry }: StepDeps,
  { error, index }: { error: ModelError; index: number },
): Promise<void> {
  await log.refresh();
  const cut = log.state.turn;
  const failures = (cut?.index === index ? cut.failures : 0) + 1;
  const superseded: Draft[] =
    cut?.phase === "model"
      ? [
          {
            type: "turn.superseded",
            payload: { turn_id: cut.turnId, reason: "model_error", message: error.message },
          },
        ]
      : [];
  const tooLong = error.code === "context_length" && failures < retry.maxAttempts;
  if (tooLong && !isSpent(log, index)) {
    if (superseded.length > 0) await log.append(superseded);
    return makeRoom(log, model(log.state.model), retry);
  }
  if (!error.retryable || failures >= retry.maxAttempts) {
    if (superseded.length > 0) await log.append(superseded);
    throw error;
  }
  const waitMs = backoffMs(retry, failures, error.retryAfterMs);
  await log.append([...superseded, progressDraft(error, { waitMs, failures, policy: retry })]);
  await waitFor(waitMs, log.idle);
}

/** Nothing more can be compressed before this turn. */
function isSpent({ state }: RunLog, index: number): boolean {
  return (state.compaction?.keptFromTurn ?? 0) >= index;
}

/** A summary may fail like any call, and is tried as often. */
async function makeRoom(log: RunLog, model: Model, retry: RetryPolicy): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      await compress(log, model, { reason: "window" });
      return;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (!error.retryable || failures >= retry.maxAttempts) throw error;
      const waitMs = backoffMs(retry, failures, error.retryAfterMs);
      await log.append([progressDraft(error, { waitMs, failures, policy: retry })]);
      await waitFor(waitMs, log.idle);
    }
  }
}
