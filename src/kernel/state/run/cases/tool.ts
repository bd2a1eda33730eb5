// Tool calls in a run's state. A settled call never changes again: a recovered runner repeating
// itself finds it closed, so the first result wins.
import type { EventHandlers } from "../../../events/event-table.ts";
import type { Item, NewItem, OpenTool, ToolItem } from "../items.ts";
import { addItem, closeItem, updateOpen } from "../draft.ts";
import type { RunDraft } from "../state.ts";

/** How much of a running tool's output a window keeps. The whole is in the blob, by range. */
const LIVE_LIMIT = 16_384;

export const toolCases = {
  "tool.*": () => {},
  "process.*": () => {},

  "tool.intent": ({ payload, created_at }, draft) => {
    const item: NewItem<OpenTool> = {
      kind: "tool",
      callId: payload.call_id,
      turnId: payload.turn_id,
      providerCallId: payload.provider_call_id,
      name: payload.name,
      label: payload.label,
      risk: payload.risk,
      replay: payload.replay,
      plan: payload.plan,
      planHash: payload.plan_hash,
      status: "planned",
      attempt: 0,
      live: "",
      output: null,
      result: null,
      error: null,
      exitCode: null,
      durationMs: null,
      request: null,
      childRunId: null,
      checkpointId: null,
      changes: [],
      providerData: payload.provider_data ?? null,
      at: created_at,
      startedAt: null,
      endedAt: null,
    };
    addItem(draft, item, payload.call_id);
  },

  "tool.replanned": ({ payload }, draft) => {
    const { plan, plan_hash: planHash } = payload;
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, plan, planHash })),
    );
  },

  "tool.started": ({ payload, created_at }, draft) => {
    const { attempt } = payload;
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, status: "running", attempt, live: "", startedAt: created_at })),
    );
  },

  "tool.updated": ({ payload }, draft) => {
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, live: (tool.live + payload.delta).slice(-LIVE_LIMIT) })),
    );
  },

  "tool.done": ({ payload, created_at }, draft) => {
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({
        ...tool,
        status: payload.status,
        live: "",
        output: payload.output,
        result: payload.result,
        error: payload.error,
        exitCode: payload.exit_code,
        durationMs: payload.duration_ms,
        endedAt: created_at,
      })),
    );
    closeItem(draft, payload.call_id);
    draft.recoveries = 0;
  },

  "tool.outcome_unknown": ({ payload, created_at }, draft) => {
    const request = {
      id: payload.request_id,
      kind: "unknown_outcome",
      callId: payload.call_id,
      title: `Did “${payload.name}” happen?`,
      prompt: payload.message,
      choices: payload.choices,
      freeText: false,
      planHash: null,
      reason: null,
      always: null,
      expiresAt: null,
      at: created_at,
      answer: null,
    } as const;
    draft.pending = { ...draft.pending, [request.id]: request };
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, status: "outcome_unknown", request })),
    );
  },

  "checkpoint.created": ({ payload }, draft) => {
    if (payload.call_id === null) return;
    const { checkpoint_id: checkpointId } = payload;
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, checkpointId })),
    );
  },
  "files.changed": ({ payload }, draft) => {
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, changes: [...tool.changes, ...payload.changes] })),
    );
  },
  "process.started": ({ payload }, draft) => {
    draft.processes = [
      ...draft.processes,
      {
        processId: payload.process_id,
        callId: payload.call_id,
        command: payload.command,
        status: "running",
        exitCode: null,
        live: "",
        bytes: 0,
      },
    ];
  },
  "process.output": ({ payload }, draft) => {
    draft.processes = draft.processes.map((one) => {
      if (one.processId !== payload.process_id) return one;
      const gap = payload.offset > one.bytes ? "\n…\n" : "";
      const live = (one.live + gap + payload.text).slice(-LIVE_LIMIT);
      return { ...one, live, bytes: payload.bytes };
    });
  },
  "process.exited": ({ payload }, draft) => {
    draft.processes = draft.processes.map((one) =>
      one.processId === payload.process_id
        ? { ...one, status: "exited", exitCode: payload.exit_code }
        : one,
    );
  },
} satisfies EventHandlers<[draft: RunDraft], void>;

/** For `updateOpen`: changes a call that has not ended, and nothing else. */
export function asTool(update: (tool: OpenTool) => ToolItem): (item: Item) => Item {
  return (item) => (item.kind === "tool" && item.output === null ? update(item) : item);
}
