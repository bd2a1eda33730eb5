// Tool calls, files and subagents in the console's stream.
import type { FileChange } from "../../../kernel/events/catalogue/files.ts";
import type { EventOf, PayloadOf } from "../../../kernel/events/events.ts";
import { recordCall, scoped, type OpenCall } from "../../../kernel/dialect/call-index.ts";
import { emit, type Handlers } from "./frame.ts";
import { summaryOf } from "./summary.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

const LONGEST = 500; // characters of arguments that are told again with the result

export const consoleTools = {
  "tool.intent": (event, state) => {
    recordCall(state.calls, event);
    const { name, label, risk, plan } = event.payload;
    return emit(state, event, "tool.planned", {
      ...called(event, name),
      ...given(plan.arguments),
      preview: label,
      risk,
    });
  },
  "tool.replanned": (event, state) => {
    const call = recordCall(state.calls, event);
    const { plan, by } = event.payload;
    const about = called(event, call?.name ?? plan.tool);
    return emit(state, event, "tool.replanned", { ...about, ...given(plan.arguments), by });
  },
  "tool.started": (event, state) => {
    const call = recordCall(state.calls, event);
    const { name, arguments: input, attempt } = event.payload;
    // Its row is open: who draws one per start would draw a second.
    return emit(state, event, attempt > 1 ? "tool.retried" : "tool.started", {
      ...called(event, name),
      ...given(input),
      preview: call?.label ?? preview(input),
      attempt,
    });
  },
  "tool.updated": (event, state) => {
    const { call_id, channel, delta } = event.payload;
    const tool_call_id = scoped(event, call_id);
    return emit(state, event, "tool.output", { tool_call_id, channel, delta, content: delta });
  },
  "tool.done": (event, state) => {
    const call = recordCall(state.calls, event);
    const { name, status, ok, duration_ms, exit_code, error } = event.payload;
    return emit(state, event, "tool.completed", {
      ...called(event, name),
      tool_args: shortArguments(call),
      preview: call?.label ?? name,
      duration_ms,
      duration: duration_ms / 1000,
      ...resultOf(event.payload),
      is_error: !ok,
      status,
      exit_code,
      error,
    });
  },

  "todo.updated": (event, state) => {
    const { items } = event.payload;
    return emit(state, event, "todo.updated", { items, todos: items });
  },

  "subagent.started": (event, state) => {
    recordCall(state.calls, event);
    const { prompt, depth } = event.payload;
    const about = { ...subagent(event), prompt: preview(prompt), depth };
    return emit(state, event, "subagent.started", { ...about, summary: "", status: "running" });
  },
  "subagent.completed": (event, state) => {
    const { summary, status } = event.payload;
    return emit(state, event, "subagent.completed", { ...subagent(event), summary, status });
  },

  "checkpoint.created": (event, state) => {
    const { checkpoint_id, call_id, label, files, paths, truncated } = event.payload;
    return emit(state, event, "checkpoint.created", {
      checkpoint_id,
      label,
      created_at: isoTime(event.created_at),
      session_id: event.session_id,
      run_id: event.run_id,
      file_count: Math.max(files.length, paths.length),
      tool_call_id: call_id === null ? null : scoped(event, call_id),
      truncated,
    });
  },
  "files.changed": (event, state) => {
    const { call_id, checkpoint_id, changes, truncated } = event.payload;
    return emit(state, event, "files.changed", {
      tool_call_id: scoped(event, call_id),
      checkpoint_id,
      files: changes.map((change) => ({ path: change.path, change: changeOf(change) })),
      truncated,
    });
  },
} satisfies Handlers;

type OfCall = { readonly run_id: string; readonly payload: { readonly call_id: string } };

function called(event: OfCall, tool_name: string) {
  return { tool_call_id: scoped(event, event.payload.call_id), tool_name };
}

function given(input: unknown) {
  return { arguments: input, tool_args: input };
}

/** Whole in `tool.started`. A file that was written is not sent a second time. */
function shortArguments(call: OpenCall | undefined): unknown {
  if (!call) return null;
  const text = JSON.stringify(call.arguments) ?? "null";
  return text.length <= LONGEST ? call.arguments : { preview: preview(text, LONGEST) };
}

/** Clients read a to-do list from the result of the tool of that name: it has to be JSON, whole. */
function resultOf(done: PayloadOf<"tool.done">) {
  const { name, ok, result, output, error } = done;
  const todos = name === "todo" && ok ? todosIn(result) : undefined;
  const text = error?.message ?? (output.head || (result === null ? "" : result));
  const summary = summaryOf(done);
  if (todos === undefined) return { summary, result_preview: preview(text) };
  const whole = JSON.stringify({ todos });
  return { summary, result: whole, result_preview: whole };
}

function todosIn(result: unknown): readonly unknown[] | undefined {
  const { todos } = (result ?? {}) as { todos?: unknown };
  return Array.isArray(todos) ? todos : undefined;
}

function subagent(event: EventOf<"subagent.started" | "subagent.completed">) {
  const { subagent_id, child_run_id, call_id, title } = event.payload;
  return { subagent_id, child_run_id, tool_call_id: scoped(event, call_id), title };
}

function changeOf({ before, after }: FileChange): "created" | "modified" | "deleted" {
  if (before === null) return "created";
  return after === null ? "deleted" : "modified";
}
