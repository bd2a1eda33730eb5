// One claimed run whose tool calls a test makes itself, as settle-call.ts does: journal, tool host and files are real.
import assert from "node:assert/strict";
import { sqliteStore } from "../journal/sqlite-store.ts";
import { claimed } from "../../../src/kernel/journal/contract/store.contract.ts";
import type { PayloadOf } from "../../../src/kernel/events/events.ts";
import type { OpenTool } from "../../../src/kernel/state/run/items.ts";
import { findTool } from "../../../src/kernel/state/run/state.ts";
import {
  captureBefore,
  changesAfter,
  type Checkpoint,
  type FilesChangedDraft,
} from "../../../src/kernel/run/checkpoints/checkpoints.ts";
import { RunLog } from "../../../src/kernel/run/loop/run-log.ts";
import { toolHosts } from "../../../src/kernel/workspace/client/tool-hosts.ts";
import { soon } from "../../../src/kernel/workspace/host/test-support.ts";
import {
  failure,
  NO_OUTPUT,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../../src/kernel/run/tools/tool.ts";

export type Settled = {
  readonly result: ToolResult;
  readonly checkpoint: Checkpoint | undefined;
  readonly changed: FilesChangedDraft["payload"] | undefined;
};
type Json = PayloadOf<"tool.intent">["plan"]["arguments"];

export async function fileAgent(workspace: string) {
  const store = sqliteStore();
  const journal = await store.connect();
  const hosts = toolHosts({ home: store.home, sandbox: "off" });
  await journal.commands.startRun(
    { session_id: "s1", message: "hi" },
    { model: "demo/demo", workspace },
  );
  const claim = await claimed(journal);
  let log = await RunLog.open(journal, claim, new AbortController().signal);
  let calls = 0;

  function contextOf(item: OpenTool): ToolContext {
    return {
      log,
      item,
      host: (grants) => hosts.forWorkspace(workspace, grants),
      claimedUntil: soon,
      signal: log.signal,
    };
  }
  function itemOf(callId: string): OpenTool {
    const item = findTool(log.state, callId);
    assert.ok(item, `${callId} is open`);
    return item;
  }

  /** Intent, checkpoint and start: from here on a crash leaves the outcome unknown. */
  async function begin(tool: Tool, input: unknown): Promise<ToolContext> {
    calls += 1;
    const callId = `c${calls}`;
    const { name, risk, replay, schemaHash: schema_hash } = tool;
    const pinned = schema_hash === undefined ? {} : { schema_hash };
    const plan = { tool: name, arguments: input as Json, workspace, ...pinned };
    const payload = {
      call_id: callId,
      turn_id: "t1.1",
      index: 0,
      provider_call_id: callId,
      name,
      label: tool.label(input),
      risk,
      replay,
      plan,
      plan_hash: "f".repeat(64),
    };
    await log.append([{ type: "tool.intent", payload }]);
    const before = await captureBefore(contextOf(itemOf(callId)), tool);
    const started = { call_id: callId, name, arguments: plan.arguments, attempt: 1 };
    await log.append([...(before ? [before] : []), { type: "tool.started", payload: started }]);
    return contextOf(itemOf(callId));
  }

  async function finish({ item }: ToolContext, result: ToolResult) {
    const changed = await changesAfter(contextOf(item));
    const payload = {
      call_id: item.callId,
      name: item.name,
      ok: result.ok,
      status: result.ok ? ("completed" as const) : ("failed" as const),
      result: (result.result ?? null) as null,
      output: result.output ?? NO_OUTPUT,
      exit_code: null,
      duration_ms: 0,
      error: result.error ?? null,
    };
    await log.append([...(changed ? [changed] : []), { type: "tool.done", payload }]);
    return changed?.payload;
  }

  return {
    journal,
    runId: claim.runId,
    home: store.home,
    hosts,
    begin,
    finish,
    contextOf,
    itemOf,
    log: () => log,
    /** As another runner sees it: only what the journal holds. */
    async reopen(): Promise<void> {
      log[Symbol.dispose]();
      log = await RunLog.open(journal, claim, new AbortController().signal);
    },
    async call(tool: Tool, input: unknown): Promise<Settled> {
      const context = await begin(tool, input);
      const { checkpointId } = context.item;
      const found = checkpointId === null ? undefined : await eventOf(checkpointId);
      const result = await tool
        .execute(input, context)
        .catch((error: Error) => failure("tool_error", error.message));
      return { result, checkpoint: found, changed: await finish(context, result) };
    },
    async [Symbol.asyncDispose]() {
      log[Symbol.dispose]();
      await hosts[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };

  async function eventOf(checkpointId: string): Promise<Checkpoint | undefined> {
    const page = await journal.readRun(claim.runId, 0, 10_000);
    const events = (page?.rows ?? []).map(
      ([, , body]) => JSON.parse(body) as { type: string; payload: Checkpoint },
    );
    return events.find(
      ({ type, payload }) =>
        type === "checkpoint.created" && payload.checkpoint_id === checkpointId,
    )?.payload;
  }
}
