// One run as a stream of chat completion chunks. The format has no cursor and cannot take text back: the text of a cut
// step stays, and a mark says that the answer starts again. Of subagents only requests are sent.
import type { EventOf } from "../../../../kernel/events/events.ts";
import { appendOnly } from "../../../../kernel/dialect/append-only.ts";
import {
  emptyCallIndex,
  recordCall,
  scoped,
  type CallIndex,
  type OpenCall,
} from "../../../../kernel/dialect/call-index.ts";
import { dialectTable, NOTHING, nothing, SILENT } from "../../../../kernel/dialect/dialect.ts";
import { anyOf, own } from "../followed-run.ts";
import {
  chatFinish,
  chatUsage,
  responseUsage,
  type ChatFinish,
  type ChatUsage,
} from "../openai/ending.ts";
import {
  answeredNote,
  waitingNote,
  waitingOf,
  type Answering,
  type Asking,
  type Waiting,
} from "../openai/waiting.ts";
import { preview } from "../../../../kernel/dialect/preview.ts";
import { displayOf } from "../../../../kernel/state/tools/display.ts";

type Delta = {
  readonly role?: "assistant";
  readonly content?: string;
  readonly reasoning_content?: string;
};
type Choice = {
  readonly index: 0;
  readonly delta: Delta;
  readonly logprobs: null;
  readonly finish_reason: ChatFinish | "error" | null;
};
export type ChatChunk = {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage?: ChatUsage;
};
/** A frame of its own: some clients read a frame with `choices` as a chunk and never look for an error in it. */
export type ChatError = {
  readonly error: { readonly message: string; readonly type: string; readonly code: string };
};
/** An empty chunk to whoever knows chunks only, progress to whoever reads `event:`. */
export type ToolProgress = ChatChunk & {
  readonly tool: string;
  readonly emoji: string;
  readonly label: string;
  readonly toolCallId: string;
  readonly status: string;
};
export type ChatFrame =
  | { readonly data: ChatChunk | ChatError | "[DONE]" }
  | { readonly event: "hermes.tool.progress"; readonly data: ToolProgress };

export type ChatState = {
  readonly calls: CallIndex;
  readonly usage: boolean;
  runId: string | null; // the run that is followed: the first there is
  created: number;
  model: string;
  gap: string; // stands before the next words
  speaking: string | null; // whose words came last
  spoken: string[]; // messages of this step that have begun
  thinking: string | null;
  finish: string;
};

export const CANCELLED = "[cancelled]";
const NEXT = "\n\n";

export type ChatOptions = { readonly usage: boolean };

/** `usage`: as asked for with `stream_options.include_usage`. */
export function chatDialect({ usage }: ChatOptions) {
  return appendOnly<ChatState, ChatFrame>({
    name: usage ? "chat-completions with usage" : "chat-completions",
    of: "run",
    frames: "any",
    begin: () => ({ ...FIRST, calls: emptyCallIndex(), spoken: [], usage }),
    kind: kindOf,
    unknown: nothing,
    table,
  });
}

const FIRST = {
  runId: null,
  created: 0,
  model: "",
  gap: "",
  speaking: null,
  thinking: null,
  finish: "stop",
};

type Frames = readonly ChatFrame[];

const asks = anyOf((event: Asking, state: ChatState) =>
  remark(state, waitingNote(waitingOf(event))),
);
const answered = anyOf((event: Answering, state: ChatState) => remark(state, answeredNote(event)));
const noted = anyOf(
  (event: EventOf<"tool.intent" | "tool.replanned" | "subagent.started">, state: ChatState) => {
    recordCall(state.calls, event);
    return NOTHING;
  },
);

const table = dialectTable<ChatState, ChatFrame>()({
  ...SILENT, // also `turn.superseded`: nothing had been said (append-only.ts)
  "run.queued": (event, state) => {
    if (state.runId !== null) return NOTHING;
    state.runId = event.run_id;
    state.created = Math.floor(event.created_at);
    state.model = event.payload.model;
    return [chunk(state, { role: "assistant", content: "" })];
  },
  status: nothing,
  "turn.started": own((_, state) => {
    state.spoken = [];
    return NOTHING;
  }),
  "token.delta": own(({ payload }, state) => {
    if (!state.spoken.includes(payload.message_id)) state.spoken.push(payload.message_id);
    return say(state, payload.message_id, payload.delta);
  }),
  "message.completed": own(({ payload }, state) => {
    state.finish = payload.finish_reason;
    const emitted = payload.text === "" || state.spoken.includes(payload.message_id);
    if (emitted) return NOTHING;
    state.spoken.push(payload.message_id);
    return say(state, payload.message_id, payload.text);
  }),
  "reasoning.delta": own(({ payload }, state) => {
    if (payload.visibility === "hidden" || payload.delta === "") return NOTHING;
    const { thinking } = state;
    state.thinking = payload.reasoning_id;
    const gap = thinking === null || thinking === payload.reasoning_id ? "" : NEXT;
    return [chunk(state, { reasoning_content: gap + payload.delta })];
  }),
  "tool.intent": noted,
  "tool.replanned": noted,
  "tool.started": own((event, state) => {
    const call = recordCall(state.calls, event);
    if (event.payload.attempt > 1) return NOTHING; // it runs, for all that was told
    return [progress(state, event, { call, status: "running" })];
  }),
  "tool.done": own((event, state) => {
    const call = recordCall(state.calls, event);
    if (!call) return NOTHING; // settled before: the first result counts
    const status = event.payload.ok ? "completed" : event.payload.status;
    return [progress(state, event, { call, status })];
  }),
  "tool.outcome_unknown": asks,
  "approval.requested": asks,
  "approval.resolved": answered,
  "clarify.requested": asks,
  "clarify.resolved": answered,
  "subagent.started": noted,
  error: nothing, // `done` says it too, and only once
  done: own((event, state) => [
    ...ending(state, event),
    ...(state.usage
      ? [{ data: { ...base(state), usage: chatUsage(responseUsage(event.payload.usage)) } }]
      : []),
    { data: "[DONE]" },
  ]),
});

function ending(state: ChatState, { payload }: EventOf<"done">): ChatFrame[] {
  if (payload.status === "completed") return [finish(state, chatFinish(state.finish))];
  if (payload.status === "cancelled") {
    return [...remark(state, CANCELLED), finish(state, "stop")];
  }
  const { code, message } = payload.error ?? { code: "expired", message: "The run expired." };
  return [finish(state, "error"), { data: { error: { message, type: "server_error", code } } }];
}

/** Words of one speaker are put together; those of the next stand apart. */
function say(state: ChatState, speaker: string, text: string): Frames {
  if (text === "") return NOTHING;
  const gap = state.speaking === speaker ? "" : state.gap;
  state.speaking = speaker;
  state.gap = NEXT;
  return [chunk(state, { content: gap + text })];
}

/** Not the agent's words: they stand apart, and the agent's go on as they would have. */
function remark(state: ChatState, text: string): Frames {
  const gap = state.gap === "" ? "" : NEXT;
  if (state.gap === "") state.gap = NEXT;
  state.speaking = null;
  return [chunk(state, { content: gap + text })];
}

type Emitted = { readonly call: OpenCall | undefined; readonly status: string };

function progress(
  state: ChatState,
  event: EventOf<"tool.started" | "tool.done">,
  { call, status }: Emitted,
): ChatFrame {
  const { name, call_id } = event.payload;
  const data = {
    ...chunk(state, {}).data,
    tool: name,
    emoji: displayOf(name).emoji,
    label: preview(call?.label ?? name),
    toolCallId: scoped(event, call_id),
    status,
  };
  return { event: "hermes.tool.progress", data };
}

function base({ runId, created, model, usage }: ChatState): ChatChunk {
  const id = `chatcmpl-${runId}`;
  const about = { id, object: "chat.completion.chunk" as const, created, model, choices: [] };
  return usage ? { ...about, usage: null } : about;
}

function chunk(state: ChatState, delta: Delta): { data: ChatChunk } {
  const choice = { index: 0, delta, logprobs: null, finish_reason: null } as const;
  return { data: { ...base(state), choices: [choice] } };
}

function finish(state: ChatState, reason: ChatFinish | "error"): { data: ChatChunk } {
  const choice = { index: 0, delta: {}, logprobs: null, finish_reason: reason } as const;
  return { data: { ...base(state), choices: [choice] } };
}

type About = Pick<ChatState, "runId" | "created" | "model">;

/** Before everything else: the run has to wait for another one, and that one for a person. */
export function behindChunk(about: About, request: Waiting): ChatFrame {
  const content = `[Another run of this session comes first.] ${waitingNote(request)}\n\n`;
  return chunk(
    { ...chatDialect({ usage: false }).begin(), ...about },
    { role: "assistant", content },
  );
}

function kindOf(frame: ChatFrame): string {
  if ("event" in frame) return frame.event;
  if (frame.data === "[DONE]") return "[DONE]";
  if ("error" in frame.data) return "error";
  const [choice] = frame.data.choices;
  if (!choice) return "chunk: usage";
  if (choice.finish_reason !== null) return `chunk: finish_reason ${choice.finish_reason}`;
  return `chunk: ${Object.keys(choice.delta).join(", ")}`;
}

export function chatText(frame: ChatFrame): string {
  const name = "event" in frame ? `event: ${frame.event}\n` : "";
  const { data } = frame;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
