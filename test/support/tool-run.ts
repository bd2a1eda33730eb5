// A claimed run in a real journal, for tests of single tools: a call is planned, its intent and start are journaled, and
// the tool is executed. Permissions are tested elsewhere.
import assert from "node:assert/strict";
import { claimed, runEvents, start } from "../../src/kernel/journal/contract/store.contract.ts";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { findTool } from "../../src/kernel/state/run/state.ts";
import { planCall } from "../../src/kernel/run/loop/plan-call.ts";
import { RunLog } from "../../src/kernel/run/loop/run-log.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/kernel/run/tools/tool.ts";
import { sqliteStore } from "./journal/sqlite-store.ts";

export type ToolRun = AsyncDisposable & {
  readonly log: RunLog;
  readonly plan: (tool: Tool, input: unknown) => Promise<PlannedCall>;
  readonly call: (tool: Tool, input: unknown, signal?: AbortSignal) => Promise<ToolResult>;
  readonly events: () => Promise<RunEvent[]>;
};
/** Executes what was planned, with the tool as it is by then. */
export type PlannedCall = (tool: Tool, signal?: AbortSignal) => Promise<ToolResult>;

/** A claim with a minute left, unless the test wants another. */
const soon = () => process.hrtime.bigint() + 60_000_000_000n;

export async function toolRun(claimedUntil: () => bigint = soon): Promise<ToolRun> {
  const store = sqliteStore();
  const journal = await store.connect();
  const runId = await start(journal);
  const log = await RunLog.open(journal, await claimed(journal), new AbortController().signal);
  let index = 0;

  async function plan(tool: Tool, input: unknown): Promise<PlannedCall> {
    const call = { providerCallId: "p", name: tool.name, argumentsText: JSON.stringify(input) };
    const tools = new Map([[tool.name, tool]]);
    const at = { turnId: "t1.1", index: index++, workspace: "/w", tools };
    const { toolCall, drafts } = planCall(call, at);
    assert.equal(drafts.length, 1, JSON.stringify(drafts[1]?.payload));
    await log.append(drafts);
    return (current, signal = log.signal) => execute(current, toolCall.call_id, signal);
  }

  async function execute(tool: Tool, callId: string, signal: AbortSignal): Promise<ToolResult> {
    const planned = findTool(log.state, callId);
    assert.ok(planned);
    const {
      plan: { arguments: input },
      name,
    } = planned;
    const payload = { call_id: callId, name, arguments: input, attempt: 1 };
    await log.append([{ type: "tool.started", payload }]);
    const item = findTool(log.state, callId);
    assert.ok(item);
    const host: ToolContext["host"] = () => assert.fail("this tool needs no tool host of its own");
    const result = await tool.execute(input, { log, item, host, claimedUntil, signal });
    await log.flush();
    return result;
  }

  return {
    log,
    plan,
    call: async (tool, input, signal) => (await plan(tool, input))(tool, signal),
    events: () => runEvents(journal, runId),
    async [Symbol.asyncDispose]() {
      log[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
