// Journals the end of a call: its file changes, then its result. Also for calls that nobody will finish, because
// their run was stopped or may not go on.
import type { Draft } from "../../events/events.ts";
import type { OpenTool } from "../../state/run/items.ts";
import { findTool } from "../../state/run/state.ts";
import { changesAfter } from "../checkpoints/checkpoints.ts";
import type { RunDeps } from "./run-loop.ts";
import type { RunLog } from "./run-log.ts";
import {
  failure,
  NO_OUTPUT,
  type HostGrants,
  type ToolContext,
  type ToolResult,
} from "../tools/tool.ts";

export type Ended = "completed" | "failed" | "denied" | "skipped" | "marked_done";

/** What a call that was started did to files, whatever else is known of it. */
export async function changesOf(context: ToolContext): Promise<Draft[]> {
  const { log, item } = context;
  const now = findTool(log.state, item.callId) ?? item;
  if (now.checkpointId === null || now.attempt === 0) return [];
  const changed = await changesAfter({ ...context, item: now });
  return changed ? [changed] : [];
}

export function doneDraft(
  item: OpenTool,
  result: ToolResult,
  status: Ended | "cancelled",
  ms: number,
): Draft {
  return {
    type: "tool.done",
    payload: {
      call_id: item.callId,
      name: item.name,
      ok: result.ok,
      status,
      result: (result.result ?? null) as null,
      output: result.output ?? NO_OUTPUT,
      exit_code: result.exitCode ?? null,
      duration_ms: Math.round(ms),
      error: result.error ?? null,
    },
  };
}

const CHANGES_MS = 2_000;

/** What cancelling does to every call that has not ended. What it printed and changed is kept. */
export async function cancelledCalls(
  log: RunLog,
  { host, claimedUntil }: Pick<RunDeps, "host" | "claimedUntil">,
): Promise<Draft[]> {
  const signal = AbortSignal.timeout(CHANGES_MS);
  const drafts: Draft[] = [];
  for (const item of openCalls(log)) {
    const granted = (grants?: HostGrants) => host(log.workspace, grants);
    const context = { log, item, host: granted, claimedUntil, signal };
    const changed = await changesOf(context).catch(() => unknownChanges(item)); // never held up by a report
    const output = { ...NO_OUTPUT, head: item.live, bytes: Buffer.byteLength(item.live) };
    const stopped = { ...failure("cancelled", "The run was stopped."), output };
    const ms = item.startedAt === null ? 0 : Math.max(0, Date.now() - item.startedAt * 1_000);
    drafts.push(...changed, ...stoppedChild(log, item), doneDraft(item, stopped, "cancelled", ms));
  }
  return drafts;
}

/** Its run was told to stop; nobody waits for it, so its end is said here. */
function stoppedChild({ state }: RunLog, { callId, childRunId }: OpenTool): Draft[] {
  const child = state.subagents.find((each) => each.childRunId === childRunId);
  if (child?.status !== "running") return [];
  const { subagentId: subagent_id, title } = child;
  const ids = { subagent_id, child_run_id: child.childRunId, call_id: callId };
  const summary = "Stopped with the run that asked for it.";
  return [{ type: "subagent.completed", payload: { ...ids, title, status: "cancelled", summary } }];
}

/** There was no time to look: that something may have changed is said all the same (T2). */
function unknownChanges({ callId: call_id, checkpointId: checkpoint_id }: OpenTool): Draft[] {
  if (checkpoint_id === null) return [];
  return [
    { type: "files.changed", payload: { call_id, checkpoint_id, changes: [], truncated: true } },
  ];
}

/** Child runs that a call is still waiting for, also one that a former runner made. */
export function openChildren(log: RunLog): string[] {
  return openCalls(log).flatMap(({ childRunId }) => (childRunId === null ? [] : [childRunId]));
}

function openCalls({ state }: RunLog): OpenTool[] {
  return Object.keys(state.open).flatMap((callId) => findTool(state, callId) ?? []);
}
