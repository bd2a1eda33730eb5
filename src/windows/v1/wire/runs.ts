// The stream of `/v1/runs`: `data: {"event": …, "run_id", "timestamp", …}`. It follows one run; of its subagents it
// sends their start, their end and their requests, not their own work.
import type { EventOf } from "../../../kernel/events/events.ts";
import { appendOnly } from "../../../kernel/dialect/append-only.ts";
import {
  callOf,
  emptyCallIndex,
  recordCall,
  scoped,
  type CallIndex,
} from "../../../kernel/dialect/call-index.ts";
import { dialectTable, NOTHING, nothing, SILENT } from "../../../kernel/dialect/dialect.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

export type V1RunFrame = {
  readonly event: string;
  readonly run_id: string; // of the run that is followed, also when a subagent asks
  readonly timestamp: number;
  readonly [field: string]: unknown;
};
export type V1RunState = {
  readonly calls: CallIndex;
  runId: string | null; // the run that is followed: the first that was queued
  speaking: string | null; // the message whose words came last
};

type Event = { readonly run_id: string; readonly created_at: number };

export const v1RunsDialect = appendOnly<V1RunState, V1RunFrame>({
  name: "v1-runs",
  of: "run",
  frames: "one",
  begin: () => ({ calls: emptyCallIndex(), runId: null, speaking: null }),
  kind: ({ event }) => event,
  unknown: nothing,
  table: dialectTable<V1RunState, V1RunFrame>()({
    ...SILENT,
    "message.user": (event, state) => {
      if (event.payload.mode !== "steer") return NOTHING;
      return own(state, event, "run.steered", {
        accepted: true,
        text: preview(event.payload.text),
      });
    },
    "run.queued": (event, state) => {
      state.runId ??= event.run_id;
      return NOTHING;
    },
    "run.started": (event, state) =>
      own(state, event, "run.started", {
        model: event.payload.model,
        controls: event.payload.controls,
      }),
    status: (event, state) =>
      own(state, event, "run.status", {
        status: hermesStatus(event.payload.status),
        reason: event.payload.reason,
        controls: event.payload.controls,
      }),
    "turn.superseded": (event, state) =>
      own(state, event, "message.superseded", {
        turn_id: event.payload.turn_id,
        reason: event.payload.reason,
        message: event.payload.message,
      }),
    "token.delta": (event, state) => {
      if (!isOwn(state, event)) return NOTHING;
      const { delta, message_id } = event.payload;
      // Its clients join all deltas of a run into one text: the next step's words stand apart.
      const isNext = state.speaking !== null && state.speaking !== message_id;
      state.speaking = message_id;
      return own(state, event, "message.delta", {
        delta: isNext ? `\n\n${delta}` : delta,
        message_id,
      });
    },
    "message.completed": (event, state) =>
      own(state, event, "message.completed", {
        message_id: event.payload.message_id,
        text: event.payload.text,
      }),
    "reasoning.delta": (event, state) => reasoning(state, event, "reasoning.delta", "delta"),
    "reasoning.done": (event, state) => reasoning(state, event, "reasoning.available", "text"),
    progress: (event, state) =>
      own(state, event, "run.progress", {
        phase: event.payload.phase,
        message: event.payload.message,
      }),
    "tool.intent": (event, state) => {
      recordCall(state.calls, event);
      return NOTHING;
    },
    "tool.replanned": (event, state) => {
      recordCall(state.calls, event);
      return NOTHING;
    },
    "tool.started": (event, state) => {
      const call = recordCall(state.calls, event);
      const { name: tool, call_id, attempt, arguments: given } = event.payload;
      const tool_call_id = scoped(event, call_id);
      // Once more, after what was cut: to its clients every `tool.started` is another call.
      if (attempt > 1) return own(state, event, "tool.restarted", { tool, tool_call_id, attempt });
      const shown = preview(call?.label ?? given);
      return own(state, event, "tool.started", {
        tool,
        preview: shown,
        tool_call_id,
        args: given, // what its clients read
        arguments: given,
      });
    },
    "tool.updated": (event, state) => {
      const { call_id, channel, delta } = event.payload;
      const tool_call_id = scoped(event, call_id);
      const tool = callOf(state.calls, event)?.name ?? "";
      return own(state, event, "tool.updated", { tool, tool_call_id, channel, delta });
    },
    "tool.done": (event, state) => {
      const call = recordCall(state.calls, event);
      const { payload } = event;
      const said = payload.error?.message ?? payload.output.head;
      return own(state, event, "tool.completed", {
        tool: payload.name,
        duration: payload.duration_ms / 1000,
        error: !payload.ok,
        tool_call_id: scoped(event, payload.call_id),
        status: payload.status,
        exit_code: payload.exit_code,
        result: payload.result,
        preview: preview(said) || preview(call?.label ?? payload.name),
      });
    },
    "tool.outcome_unknown": (event, state) =>
      asked(state, event, "clarify.request", {
        request_id: event.payload.request_id,
        clarify_id: event.payload.request_id,
        kind: "unknown_outcome",
        question: event.payload.message,
        choices: event.payload.choices,
        tool: event.payload.name,
      }),
    "approval.requested": (event, state) =>
      asked(state, event, "approval.request", {
        request_id: event.payload.approval_id,
        approval_id: event.payload.approval_id,
        tool: event.payload.plan.tool,
        command: commandOf(event),
        description: event.payload.prompt,
        title: event.payload.title,
        risk: event.payload.risk,
        plan_hash: event.payload.plan_hash,
        choices: event.payload.choices,
        expires_at: event.payload.expires_at,
      }),
    "approval.resolved": (event, state) =>
      asked(state, event, "approval.responded", {
        choice: event.payload.choice,
        request_id: event.payload.approval_id,
        approval_id: event.payload.approval_id,
        status: event.payload.status,
        by: event.payload.by,
        resolved: 1,
      }),
    "clarify.requested": (event, state) =>
      asked(state, event, "clarify.request", {
        request_id: event.payload.clarify_id,
        clarify_id: event.payload.clarify_id,
        kind: "clarify",
        question: event.payload.question,
        choices: event.payload.choices,
      }),
    "clarify.resolved": (event, state) =>
      asked(state, event, "clarify.responded", {
        request_id: event.payload.clarify_id,
        clarify_id: event.payload.clarify_id,
        response: event.payload.response,
        status: event.payload.status,
        by: event.payload.by,
      }),
    "todo.updated": (event, state) =>
      own(state, event, "todo.updated", { todos: event.payload.items }),
    "subagent.started": (event, state) => {
      recordCall(state.calls, event);
      const { subagent_id, title, prompt } = event.payload;
      return own(state, event, "subagent.start", { subagent_id, title, prompt: preview(prompt) });
    },
    "subagent.completed": (event, state) => {
      const { subagent_id, title, status, summary } = event.payload;
      return own(state, event, "subagent.complete", { subagent_id, title, status, summary });
    },
    recovery: (event, state) =>
      own(state, event, "run.recovered", { message: event.payload.message }),
    error: nothing, // `done` says it too, and only once
    done: (event, state) => own(state, event, ...ending(event)),
  }),
});

function ending({ payload }: EventOf<"done">): [string, object] {
  const { input_tokens, output_tokens, total_tokens } = payload.usage;
  const usage = { input_tokens, output_tokens, total_tokens };
  if (payload.status === "completed") return ["run.completed", { output: payload.result, usage }];
  if (payload.status === "cancelled") return ["run.cancelled", { output: payload.result, usage }];
  const message = payload.error?.message ?? "The run expired.";
  const error_type = payload.error?.code ?? "expired";
  return ["run.failed", { error: message, error_type, terminal: true, usage }];
}

function isOwn({ runId }: V1RunState, { run_id }: Event): boolean {
  return runId === null || run_id === runId;
}

/** Of the run itself; a subagent's inner work is not told. */
function own(state: V1RunState, event: Event, name: string, fields: object): readonly V1RunFrame[] {
  return isOwn(state, event) ? [frame(state, event, name, fields)] : NOTHING;
}

/** What a person has to know of, whoever asks. */
function asked(state: V1RunState, event: Event, name: string, fields: object) {
  const from = isOwn(state, event) ? {} : { subagent_run_id: event.run_id };
  return [frame(state, event, name, { ...fields, ...from })];
}

function frame(state: V1RunState, event: Event, name: string, fields: object): V1RunFrame {
  const run_id = state.runId ?? event.run_id;
  return { event: name, run_id, timestamp: event.created_at, ...fields };
}

function reasoning(
  state: V1RunState,
  event: EventOf<"reasoning.delta"> | EventOf<"reasoning.done">,
  name: string,
  field: "delta" | "text",
): readonly V1RunFrame[] {
  if (event.payload.visibility === "hidden") return NOTHING;
  const { payload } = event;
  const text = "delta" in payload ? payload.delta : payload.text;
  return own(state, event, name, { [field]: text, reasoning_id: payload.reasoning_id });
}

function commandOf({ payload }: EventOf<"approval.requested">): string {
  const given = payload.plan.arguments;
  const command =
    typeof given === "object" && given !== null && !Array.isArray(given) ? given["command"] : null;
  return typeof command === "string" ? command : payload.prompt;
}

const HERMES: Readonly<Record<string, string>> = {
  awaiting_approval: "waiting_for_approval",
  awaiting_clarify: "waiting_for_clarification",
  cancelling: "stopping",
  expired: "interrupted",
};

/** A run's status in the words of this API; the others are the same. */
export function hermesStatus(status: string): string {
  return HERMES[status] ?? status;
}
