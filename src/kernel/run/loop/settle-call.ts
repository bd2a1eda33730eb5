// Brings one tool call to its end, from whatever state it is in: planned, waiting for an approval, or interrupted by
// a crash.
import { DIRECT_TURN } from "../../events/direct.ts";
import type { Draft } from "../../events/events.ts";
import type { OpenTool } from "../../state/run/items.ts";
import { findTool } from "../../state/run/state.ts";
import {
  approvalDrafts,
  awaitAnswer,
  forbiddenTo,
  hiddenFrom,
  judge,
  notAsApproved,
} from "../permissions/approvals.ts";
import { changesOf, doneDraft, type Ended } from "./tool-result.ts";
import { captureBefore } from "../checkpoints/checkpoints.ts";
import { withExecutedFiles } from "../permissions/executed-files.ts";
import type { Policy } from "../permissions/policy.ts";
import { HandingOver, type RunLog } from "./run-log.ts";
import { DID_NOT_HAPPEN } from "../tools/files/check.ts";
import {
  failure,
  OutcomeUnknown,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../tools/tool.ts";
import type { Toolset } from "../tools/toolset.ts";
import { UNKNOWN_OUTCOME_CHOICES } from "../../events/catalogue/tools.ts";
import { statusDraft } from "../../state/run/status-draft.ts";

export type CallDeps = Pick<ToolContext, "host" | "claimedUntil"> & {
  tools: Toolset["tools"];
  policy: Policy;
};

export async function settleCall(log: RunLog, callId: string, deps: CallDeps): Promise<void> {
  for (;;) {
    log.signal.throwIfAborted();
    const item = findTool(log.state, callId);
    if (!item) return; // settled
    log.leaveIfDraining(); // a call that runs comes to its end; none begins
    const tool = deps.tools.get(item.name);
    if (tool) await advance(log, { item, tool, ...deps });
    else await advanceWithout(log, item);
  }
}

type Call = CallDeps & { item: OpenTool; tool: Tool };

async function advance(log: RunLog, call: Call): Promise<void> {
  const { item, tool } = call;
  const answer = item.request?.answer;
  switch (item.status) {
    case "planned":
      if (item.request && answer) return afterAnswer(log, call, item.request.kind);
      return begin(log, call);
    case "awaiting_approval":
      return awaitAnswer(log, item);
    case "outcome_unknown":
      return log.nextChange();
    case "awaiting_clarify":
      return execute(log, call); // the tool itself waits for its answer
    case "running":
      // Left behind by a runner that died: this one has not started it.
      if (tool.replay === "safe") return execute(log, call);
      return (await checked(log, call)) ? undefined : log.append(unknownDrafts(log, item));
  }
}

/** The tool is not there any more (its server is down), but what it did while it was may be real. */
async function advanceWithout(log: RunLog, item: OpenTool): Promise<void> {
  if (item.status === "running") return log.append(unknownDrafts(log, item));
  if (item.status !== "planned") return log.nextChange();
  const gone = failure("unknown_tool", `There is no tool “${item.name}” here.`);
  const { kind, answer } = item.request ?? {};
  const chosen = kind === "unknown_outcome" ? answer?.choice : undefined;
  const known = chosen === "check" || chosen === "mark_done" || chosen === "skip";
  const [result, ended] = known ? CHOSEN[chosen] : [gone, "failed" as const];
  await log.append([doneDraft(item, result, ended, 0)]);
}

/** Permission first. A call a person's command made was decided by that person, unless a rule forbids it. */
async function begin(log: RunLog, call: Call): Promise<void> {
  const { tool, policy } = call;
  if (tool.internal && !tool.access) return execute(log, call);
  const item = await withExecutedFiles(contextOf(log, call), call.item, tool);
  const verdict = await judge(log, item, tool, policy);
  const decided = item.turnId === DIRECT_TURN && verdict.effect === "ask";
  if (decided || verdict.effect === "allow") return execute(log, { ...call, item });
  if (verdict.effect === "ask") return log.append(approvalDrafts(log, item, verdict, policy));
  return finish(log, call, failure("denied", verdict.reason), "denied");
}

async function afterAnswer(log: RunLog, call: Call, kind: string): Promise<void> {
  const { item } = call;
  const answer = item.request?.answer;
  if (kind === "approval") {
    if (answer?.status === "approved") return approved(log, call);
    const who =
      answer?.status === "expired"
        ? "Nobody allowed this in time."
        : "A person did not allow this.";
    const why = answer?.feedback ? ` They said: ${answer.feedback}` : "";
    return finish(log, call, failure("denied", `${who}${why}`), "denied");
  }
  if (kind === "clarify") return execute(log, call);
  const choice = answer?.choice;
  if (choice === "retry") return again(log, call);
  if (choice === "check" && (await checked(log, call))) return;
  const [result, ended] = CHOSEN[choice === "check" || choice === "mark_done" ? choice : "skip"];
  return finish(log, call, result, ended);
}

/** What was approved is what runs; an edited plan has the shape the tool wants; a deny still denies. */
async function approved(log: RunLog, call: Call): Promise<void> {
  const { item, tool, policy } = call;
  const wrong = notAsApproved(item, tool);
  if (wrong !== undefined) return finish(log, call, failure("not_as_approved", wrong));
  const verdict = await judge(log, item, tool, policy);
  if (verdict.effect !== "deny") return execute(log, call);
  return finish(log, call, failure("denied", verdict.reason), "denied");
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

/** Intent, checkpoint and start are durable before anything can happen (X3). */
async function execute(log: RunLog, call: Call): Promise<void> {
  const { item, tool } = call;
  const { callId: call_id, name, plan } = item;
  const context = contextOf(log, call);
  let before: Draft | undefined;
  try {
    before = await captureBefore(context, tool);
  } catch (error) {
    if (log.signal.aborted) throw error;
    return finish(log, call, failure("no_checkpoint", (error as Error).message.slice(0, 1_000)));
  }
  const payload = { call_id, name, arguments: plan.arguments, attempt: item.attempt + 1 };
  await log.append([...(before ? [before] : []), { type: "tool.started", payload }]);
  const started = performance.now();
  const took = () => performance.now() - started;
  try {
    const result = await tool.execute(plan.arguments, context);
    log.signal.throwIfAborted();
    await finish(log, call, result, result.ok ? "completed" : "failed", took());
  } catch (error) {
    if (error instanceof OutcomeUnknown) return log.append(unknownDrafts(log, item, error.message));
    if (log.signal.aborted || error instanceof HandingOver) throw error;
    // A tool must not bring the run down: the model reads what went wrong and goes on.
    const result = failure("tool_error", (error as Error).message.slice(0, 1_000));
    await finish(log, call, result, "failed", took());
  }
}

/** Another attempt has a checkpoint of its own: what the first one did is told before. */
async function again(log: RunLog, call: Call): Promise<void> {
  const changed = await changesOf(contextOf(log, call));
  if (changed.length > 0) await log.append(changed);
  await execute(log, call);
}

/** True when it could be told: it happened (then it is done), or it certainly did not (then it runs). */
async function checked(log: RunLog, call: Call): Promise<boolean> {
  const result = await call.tool.check?.(call.item.plan.arguments, contextOf(log, call));
  if (result?.error?.code === DID_NOT_HAPPEN) {
    await again(log, call);
    return true;
  }
  if (!result?.ok) return false;
  await finish(log, call, result, "completed");
  return true;
}

function contextOf(log: RunLog, { item, host, claimedUntil, policy }: Call): ToolContext {
  const forbidden = () => forbiddenTo(log, item.name, policy);
  const hidden = () => hiddenFrom(log, item.name, policy);
  return { log, item, host, claimedUntil, signal: log.signal, forbidden, hidden };
}

async function finish(
  log: RunLog,
  call: Call,
  result: ToolResult,
  status: Ended = "failed",
  durationMs = 0,
): Promise<void> {
  const { item } = call;
  const changed = await changesOf(contextOf(log, call));
  await log.append([...changed, doneDraft(item, result, status, durationMs)]);
}

// A call that may or may not have happened. It is shown to a person and never silently repeated.
const LOST = "The runner was lost while this ran";

function unknownDrafts(log: RunLog, item: OpenTool, why = LOST): Draft[] {
  // Of the attempt as it is now: an id that was used before would take an answer to the one before it.
  const { attempt } = findTool(log.state, item.callId) ?? item;
  return [
    {
      type: "tool.outcome_unknown",
      payload: {
        call_id: item.callId,
        request_id: `un_${log.claim.runId}_${item.callId}_${attempt}`,
        name: item.name,
        message: `${why}: ${item.label}`,
        choices: [...UNKNOWN_OUTCOME_CHOICES],
      },
    },
    statusDraft("awaiting_clarify", "outcome_unknown"),
  ];
}
