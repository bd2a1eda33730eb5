// Runs and messages in the console's stream.
import type { Usage } from "../../../kernel/events/catalogue/lifecycle.ts";
import type { PayloadOf } from "../../../kernel/events/events.ts";
import { scoped } from "../../../kernel/dialect/call-index.ts";
import { openRun, emit, type ConsoleState, type Handlers } from "./frame.ts";
import { NOTHING } from "../../../kernel/dialect/dialect.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

const TITLE = 80;
/** Characters of a turn's thinking that are kept to be told once more with its answer. */
const REASONING = 4_000;

export const consoleRuns = {
  "message.user": (event, state) => {
    const { message_id, text, mode, attachments } = event.payload;
    const run = openRun(state, event);
    if (run.messageId === "") Object.assign(run, { messageId: message_id, prompt: preview(text) });
    return emit(state, event, "message.user", { message_id, content: text, mode, attachments });
  },
  "message.edited": (event, state) => {
    const { message_id, text } = event.payload;
    const run = openRun(state, event);
    if (run.messageId === message_id) run.prompt = preview(text ?? "");
    const said = { message_id, content: text, retracted: text === null };
    return emit(state, event, "message.edited", said);
  },
  "run.queued": (event, state) => {
    const { message_id, model, workspace, profile, source } = event.payload;
    const about = { message_id, model, workspace, profile, source };
    return emit(state, event, "run.queued", { ...about, ...wordsOf(state, event) });
  },
  "run.started": (event, state) => {
    const { model, workspace, profile, sandbox } = event.payload;
    const { messageId: message_id } = openRun(state, event);
    const about = { model, workspace, profile, sandbox };
    return emit(state, event, "run.started", {
      message_id,
      ...wordsOf(state, event),
      ...about,
    });
  },

  "turn.started": (event, state) => {
    Object.assign(openRun(state, event), { shown: [], reasoning: "" });
    const { turn_id, index, attempt, model } = event.payload;
    const turn = { turn_id: scoped(event, turn_id), index, attempt, model };
    return emit(state, event, "turn.started", turn);
  },
  "turn.superseded": (event, state) => {
    const { turn_id, reason, message } = event.payload;
    const message_ids = [...openRun(state, event).shown];
    return emit(state, event, "message.superseded", {
      turn_id: scoped(event, turn_id),
      message_id: message_ids.at(-1) ?? null,
      message_ids,
      reason,
      message,
    });
  },
  "token.delta": (event, state) => {
    const { delta } = event.payload;
    const message_id = show(state, event, event.payload.message_id);
    return emit(state, event, "message.assistant.delta", { message_id, delta, content: delta });
  },
  "message.completed": (event, state) => {
    const { text, tool_calls, finish_reason } = event.payload;
    const { reasoning } = openRun(state, event);
    if (text === "") return NOTHING; // only calls: they are told as calls, and an empty bubble as nothing
    return emit(state, event, "message.assistant.completed", {
      message_id: scoped(event, event.payload.message_id),
      content: text,
      ...(reasoning && { reasoning }),
      tool_call_ids: tool_calls.map(({ call_id }) => scoped(event, call_id)),
      finish_reason,
    });
  },
  "reasoning.delta": (event, state) => {
    const { reasoning_id, delta, visibility } = event.payload;
    if (visibility === "hidden") return NOTHING;
    const message_id = show(state, event, reasoning_id);
    return emit(state, event, "message.reasoning.delta", { message_id, delta, content: delta });
  },
  "reasoning.done": (event, state) => {
    const { reasoning_id, text, duration_ms, visibility } = event.payload;
    if (visibility === "hidden") return NOTHING;
    const message_id = show(state, event, reasoning_id);
    const run = openRun(state, event);
    const all = run.reasoning === null ? null : [run.reasoning, text].filter(Boolean).join("\n\n");
    run.reasoning = all !== null && all.length <= REASONING ? all : null;
    const said = { message_id, content: text, duration_ms };
    return emit(state, event, "message.reasoning.completed", said);
  },

  done: (event, state) => {
    const unanswered = forget(state, event.run_id);
    const { status } = event.payload;
    const payload = {
      status,
      ...ended(event.payload),
      ...(unanswered.length > 0 && { unanswered }),
    };
    const type = status === "completed" ? "run.completed" : "run.failed";
    const frames = emit(state, event, type, payload);
    delete state.calls.children[event.run_id]; // a run's end is its last event
    return frames;
  },
} satisfies Handlers;

function wordsOf(state: ConsoleState, event: { readonly run_id: string }) {
  const { prompt } = openRun(state, event);
  return { title: preview(prompt, TITLE), prompt };
}

/** The outward id of something the turn says, remembered in case the turn is taken back. */
function show(state: ConsoleState, event: { readonly run_id: string }, id: string): string {
  const outward = scoped(event, id);
  const { shown } = openRun(state, event);
  if (!shown.includes(outward)) shown.push(outward);
  return outward;
}

/** Existing clients know two ends. What was stopped, or ran out of time, is a failure with its own type. */
function ended({ status, result, error, usage }: PayloadOf<"done">): Record<string, unknown> {
  const emitted = { usage: consoleUsage(usage) };
  if (status === "completed") return { completed: true, final_response: result ?? "", ...emitted };
  const stopped = status === "cancelled" ? "The run was stopped." : "The run did not end in time.";
  return {
    completed: false,
    final_response: result ?? "",
    error: error?.message ?? stopped,
    error_type: status === "cancelled" ? "cancelled" : (error?.code ?? status),
    ...emitted,
  };
}

/** Under the names of both worlds. Clients add up the first three: unknown counts as nothing there. */
export function consoleUsage(usage: Usage): Record<string, number | null> {
  return {
    prompt_tokens: usage.input_tokens ?? 0,
    completion_tokens: usage.output_tokens ?? 0,
    total_tokens: usage.total_tokens ?? 0,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    cached_tokens: usage.cached_tokens,
    cost_usd: usage.cost_usd,
  };
}

/** Everything that was remembered of a run. The requests nobody answered: they are gone with it. */
function forget({ runs, calls, requests }: ConsoleState, runId: string): string[] {
  delete runs[runId];
  for (const [key, call] of Object.entries(calls.open)) {
    if (call.runId === runId) delete calls.open[key];
  }
  const open = Object.keys(requests).filter((id) => requests[id]?.runId === runId);
  for (const id of open) delete requests[id];
  return open;
}
