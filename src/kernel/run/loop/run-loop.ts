// Executes one claimed run: asks the state what comes next, does it, journals it, until the run has ended.
import { directCall } from "../../events/direct.ts";
import { findTool, toSnapshot } from "../../state/run/state.ts";
import { isTerminal } from "../../state/run/status.ts";
import { withinBudget } from "./budget.ts";
import { withinTime } from "./budget-watch.ts";
import { cancel, complete, end, endProcesses, giveUp } from "./finish-run.ts";
import { decideGoal } from "../context/goal.ts";
import { modelStep } from "./model-step.ts";
import { ModelError, type Model } from "../models/model.ts";
import { nextStep, type Step } from "./next-step.ts";
import { AgentError, type Agent, type AgentOf } from "../permissions/policy.ts";
import { beginRun, type RecoveryPolicy } from "./recovery.ts";
import type { RetryPolicy } from "./retry.ts";
import { Cancelled, HandingOver, type RunLog } from "./run-log.ts";
import { settleCall } from "./settle-call.ts";
import { startTitle } from "../context/title.ts";
import type { ToolHost } from "../../workspace/client/tool-host/client.ts";
import type { ClaimedUntil, HostGrants } from "../tools/tool.ts";

export type RunDeps = {
  runnerId: string;
  sandbox: () => Promise<"none" | "bubblewrap">;
  model: (name: string) => Model;
  host: (workspace: string, grants?: HostGrants) => ToolHost;
  agent: AgentOf;
  claimedUntil: ClaimedUntil;
  recovery: RecoveryPolicy;
  retry: RetryPolicy;
};

const SNAPSHOT_EVERY = 200;
/** What the next runner may as well begin. */
const BEGINS: ReadonlySet<Step["do"]> = new Set(["call_model", "settle_tools"]);

export async function executeRun(log: RunLog, deps: RunDeps): Promise<void> {
  try {
    const failure = await beginRun(log, deps);
    if (failure) return await giveUp(log, failure, deps);
    await work(log, deps, await deps.agent(log.localState, log.signal));
  } catch (error) {
    if (error instanceof Cancelled || log.signal.reason instanceof Cancelled) {
      return cancel(log, deps);
    }
    if (log.signal.aborted) throw error; // the claim is gone or the runner stops: leave it as it is
    if (error instanceof HandingOver) await endProcesses(log, deps); // before another runner goes on (X4)
    const code = failureCode(error);
    if (code === undefined) throw error;
    await end(log, { code, message: (error as Error).message, status: "failed" }, deps);
  }
}

function failureCode(error: unknown): string | undefined {
  if (error instanceof ModelError) return `model_${error.code}`;
  return error instanceof AgentError ? "agent_setup" : undefined;
}

async function work(log: RunLog, deps: RunDeps, agent: Agent): Promise<void> {
  const { policy } = agent;
  await reportProblems(log, agent);
  const fresh = log.state.turn === null && !directCall(log.state);
  const title = fresh && policy.titles ? await startTitle(log, deps.model(log.state.model)) : null;
  let snapshotAt = log.state.seq;
  try {
    while (!isTerminal(log.state.status)) {
      log.signal.throwIfAborted();
      const step = nextStep(log.state);
      if (step.do === "complete") {
        if (await decideGoal(log, () => deps.model(log.state.model))) continue;
        await title?.finish();
        if (await complete(log, deps)) return;
        continue; // something was admitted meanwhile: a steer, a cancel
      }
      if (log.draining && BEGINS.has(step.do)) {
        await title?.finish();
        log.leaveIfDraining();
      }
      if (!(await allowed(log, step, agent))) return await cancel(log, deps);
      const doIt = () => take(log, step, { deps, agent });
      const counts = BEGINS.has(step.do) && !directCall(log.state);
      await (counts ? withinTime(log, policy.budget, doIt) : doIt());
      if (log.state.seq - snapshotAt > SNAPSHOT_EVERY) {
        snapshotAt = log.state.seq;
        await log.journal.saveSnapshot(toSnapshot(log.state));
      }
    }
  } finally {
    await title?.stop();
  }
}

async function reportProblems(log: RunLog, { problems }: Agent): Promise<void> {
  const payloads = problems.map((message) => ({ phase: "setup", message, call_id: null }));
  if (payloads.length > 0) {
    await log.append(payloads.map((payload) => ({ type: "progress" as const, payload })));
  }
}

/** Asks a person when a budget is used up; false when they said to stop. */
async function allowed(log: RunLog, step: Step, { policy }: Agent): Promise<boolean> {
  if (step.do !== "call_model" && step.do !== "settle_tools") return true;
  if (directCall(log.state)) return true;
  const planned = step.do === "settle_tools" ? step.calls : [];
  const calls = planned.filter((id) => findTool(log.state, id)?.attempt === 0).length;
  return withinBudget(log, policy.budget, { calls });
}

async function take(
  log: RunLog,
  step: Exclude<Step, { do: "complete" }>,
  { deps, agent }: { deps: RunDeps; agent: Agent },
): Promise<void> {
  switch (step.do) {
    case "cancel":
      return cancel(log, deps);
    case "call_model":
      return modelStep(log, deps, { index: step.index, attempt: step.attempt, agent });
    case "supersede": {
      const message = "Interrupted; the step starts again.";
      const payload = { turn_id: step.turnId, reason: "runner_lost" as const, message };
      return log.append([{ type: "turn.superseded", payload }]);
    }
    case "settle_tools":
      return settleCalls(log, deps, { agent, calls: step.calls });
    case "close_turn": {
      const payload = { turn_id: step.turnId, finish_reason: "done" };
      return log.append([{ type: "turn.completed", payload }]);
    }
    default:
      step satisfies never;
  }
}

/**
 * Waits for all, so that no call goes on behind a run that has moved on; then throws the first failure. That some
 * were left to the next runner does not hide what went wrong with another.
 */
async function settleCalls(
  log: RunLog,
  deps: RunDeps,
  { agent, calls: callIds }: { agent: Agent; calls: readonly string[] },
): Promise<void> {
  const { tools } = agent.toolset;
  const { workspace } = log;
  const host = (grants?: HostGrants) => deps.host(workspace, grants);
  const settling = { host, tools, policy: agent.policy, claimedUntil: deps.claimedUntil };
  let previous = Promise.resolve();
  const calls = callIds.map((id) => {
    const settle = () => settleCall(log, id, settling);
    if (!tools.get(findTool(log.state, id)?.name ?? "")?.inOrder) return settle();
    previous = previous.then(settle);
    return previous;
  });
  const results = await Promise.allSettled(calls);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result] : []));
  const first = failures.find(({ reason }) => !(reason instanceof HandingOver)) ?? failures[0];
  if (first) throw first.reason;
}
