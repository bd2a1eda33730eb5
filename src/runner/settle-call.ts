// Brings one tool call from wherever it stands to its end. Driven by the call's state, so a call
// that was planned, parked on an approval or cut by a crash continues here all the same.
import type { Draft } from "../protocol/events.ts";
import type { ToolItem } from "../protocol/run-items.ts";
import { findTool } from "../protocol/run-state.ts";
import { approvalDrafts, needsApproval } from "./approvals.ts";
import type { RunLog } from "./run-log.ts";
import type { ToolHost } from "./tool-host-client.ts";
import { TOOLS } from "./tools/registry.ts";
import { NO_OUTPUT, OutcomeUnknown, textOutput, type Tool, type ToolResult } from "./tools/tool.ts";
import { unknownDrafts } from "./unknown-outcome.ts";

export type CallDeps = { host: ToolHost; claimedUntil: () => bigint };

export async function settleCall(log: RunLog, callId: string, deps: CallDeps): Promise<void> {
  for (;;) {
    log.signal.throwIfAborted();
    const item = findTool(log.state, callId);
    if (!item) return; // settled
    const tool = TOOLS.get(item.name);
    if (!tool) {
      await finish(log, item, failure("unknown_tool", `There is no tool “${item.name}” here.`));
      continue;
    }
    await advance(log, { item, tool, ...deps });
  }
}

type Ended = "completed" | "failed" | "denied" | "skipped" | "marked_done";
type Call = CallDeps & { item: ToolItem; tool: Tool };

async function advance(log: RunLog, call: Call): Promise<void> {
  const { item, tool } = call;
  const answer = item.request?.answer;
  switch (item.status) {
    case "planned":
      if (item.request && answer) return afterAnswer(log, call, item.request.kind);
      if (await needsApproval(log, item)) return log.append(approvalDrafts(log, item));
      return execute(log, call);
    case "awaiting_approval":
    case "outcome_unknown":
      return log.change();
    case "awaiting_clarify":
      return execute(log, call); // the tool itself waits for its answer
    case "running":
      // Left behind by a runner that died: this one has not started it.
      if (tool.replay === "safe") return execute(log, call);
      return (await checked(log, call)) ? undefined : log.append(unknownDrafts(log, item));
    case "completed":
    case "failed":
    case "denied":
    case "skipped":
    case "cancelled":
    case "marked_done":
      throw new Error(`call ${item.callId} is ${item.status} and yet open`);
  }
}

async function afterAnswer(log: RunLog, call: Call, kind: string): Promise<void> {
  const { item } = call;
  const answer = item.request?.answer;
  if (kind === "approval") {
    if (answer?.status === "approved") return execute(log, call);
    const why = answer?.feedback ? ` They said: ${answer.feedback}` : "";
    return finish(log, item, failure("denied", `A person did not allow this.${why}`), "denied");
  }
  if (kind === "clarify") return execute(log, call);
  const choice = answer?.choice;
  if (choice === "retry") return execute(log, call);
  if (choice === "check" && (await checked(log, call))) return;
  const [result, ended] = CHOSEN[choice === "check" || choice === "mark_done" ? choice : "skip"];
  return finish(log, item, result, ended);
}

const UNCHECKED =
  "The runner died while this ran, so it may have taken effect wholly, partly or not at all. " +
  "Find out what happened before you repeat it.";
/** What a person's answer to an unknown outcome makes of the call. */
const CHOSEN: Record<"check" | "mark_done" | "skip", [ToolResult, Ended]> = {
  check: [failure("outcome_unknown", UNCHECKED), "failed"],
  mark_done: [{ ok: true, result: { marked_done: true } }, "marked_done"],
  skip: [failure("skipped", "A person chose to skip this."), "skipped"],
};

function failure(code: string, message: string): ToolResult {
  return { ok: false, result: null, error: { code, message } };
}

/** Intent before effect: `tool.started` is durable before anything can happen (X3). */
async function execute(log: RunLog, call: Call): Promise<void> {
  const { item, tool } = call;
  const { callId: call_id, name, plan } = item;
  const payload = { call_id, name, arguments: plan.arguments, attempt: item.attempt + 1 };
  await log.append([{ type: "tool.started", payload }]);
  const started = performance.now();
  const context = contextOf(log, call);
  try {
    const result = await tool.execute(plan.arguments, context);
    log.signal.throwIfAborted();
    await finish(
      log,
      item,
      result,
      result.ok ? "completed" : "failed",
      performance.now() - started,
    );
  } catch (error) {
    if (error instanceof OutcomeUnknown) return log.append(unknownDrafts(log, item));
    if (log.signal.aborted) throw error;
    // A tool must not bring the run down: the model reads what went wrong and goes on.
    await finish(log, item, failure("tool_error", (error as Error).message.slice(0, 1_000)));
  }
}

async function checked(log: RunLog, call: Call): Promise<boolean> {
  const result = await call.tool.check?.(call.item.plan.arguments, contextOf(log, call));
  if (!result?.ok) return false;
  await finish(log, call.item, result, "completed");
  return true;
}

function contextOf(log: RunLog, { item, host, claimedUntil }: Call) {
  return { log, item, host, claimedUntil, signal: log.signal };
}

async function finish(
  log: RunLog,
  item: ToolItem,
  result: ToolResult,
  status: Ended = "failed",
  durationMs = 0,
): Promise<void> {
  const payload = {
    call_id: item.callId,
    name: item.name,
    ok: result.ok,
    status,
    result: (result.result ?? null) as null,
    output: result.output ?? NO_OUTPUT,
    exit_code: result.exitCode ?? null,
    duration_ms: Math.round(durationMs),
    error: result.error ?? null,
  };
  await log.append([{ type: "tool.done", payload }]);
}

/** What cancelling does to every call that has not ended. What it printed so far is kept. */
export function cancelledCalls(log: RunLog): Draft[] {
  const error = { code: "cancelled", message: "The run was stopped." };
  return openCalls(log).map(({ callId: call_id, name, live }) => ({
    type: "tool.done",
    payload: {
      call_id,
      name,
      ok: false,
      status: "cancelled",
      result: null,
      output: textOutput(live),
      exit_code: null,
      duration_ms: 0,
      error,
    },
  }));
}

/** Child runs that a call is still waiting for, also one that a former runner made. */
export function openChildren(log: RunLog): string[] {
  return openCalls(log).flatMap(({ childRunId }) => (childRunId === null ? [] : [childRunId]));
}

function openCalls({ state }: RunLog): ToolItem[] {
  return Object.keys(state.open).flatMap((callId) => findTool(state, callId) ?? []);
}
