// How a run ends in the browser's stream: one terminal event, then `stream_end`. Both follow from the
// one event the journal has, so neither is ever sent before it is durable.
import type { EventOf } from "../../../kernel/events/events.ts";
import { cut, type WebuiFrame } from "./frames.ts";
import { own } from "../../../kernel/events/own.ts";

/** What the stream remembers of a run until it ends. */
export type OpenRun = {
  readonly messageId: string;
  readonly at: number;
  prompt: string; // the beginning of it
  shown: Record<string, true>; // of this turn: blocks whose text was streamed, calls that ended
  unread: { readonly id: string; readonly text: string }[]; // steers no model has read
  reason: string | null; // why it was stopped
  error: string | null;
  diagnostics: unknown; // of the error it ended with
};

export const PROMPT_CHARS = 2_000;

export function openRun(messageId: string, text: string, at: number): OpenRun {
  const prompt = cut(text, PROMPT_CHARS);
  return {
    messageId,
    at,
    prompt,
    shown: {},
    unread: [],
    reason: null,
    error: null,
    diagnostics: null,
  };
}

type Done = EventOf<"done">;
type Ending = Readonly<{
  event: "done" | "cancel" | "apperror";
  data: object;
  terminal_state: string;
}>;

/** Of the runner's own codes for a run that nobody went on with. */
const INTERRUPTED = new Set(["interrupted", "recovery_exhausted", "recovery_expired"]);

const ENDINGS: Record<Done["payload"]["status"], (event: Done, run: OpenRun) => Ending> = {
  completed: () => ({ event: "done", data: {}, terminal_state: "completed" }),
  cancelled: (_event, { reason, error }) => ({
    event: "cancel",
    data: {
      message: reason === null ? "Stopped." : `Stopped: ${reason}.`,
      type: "cancelled",
      status: "cancelled",
      ...(error !== null && { error }),
    },
    terminal_state: "interrupted-by-user",
  }),
  failed: failure,
  expired: failure,
};

/** What its page has words for. */
const KNOWN: Readonly<Record<string, string>> = {
  model_rate_limited: "rate_limit",
  model_auth: "auth_mismatch",
  model_unknown_model: "model_not_found",
  model_incomplete: "no_response",
};

function failure({ payload, run_id, session_seq }: Done, { diagnostics }: OpenRun): Ending {
  const { code, message } = payload.error ?? { code: "failed", message: "The run failed." };
  const interrupted = INTERRUPTED.has(code) || payload.status === "expired";
  const data = {
    label: interrupted ? "Interrupted" : "Run failed",
    type: interrupted ? "interrupted" : (own(KNOWN, code) ?? code),
    code,
    message,
    error: message, // some clients read this one
    terminal: true,
    diagnostics,
    hint: interrupted
      ? "What was journaled is shown. Start a new turn if the task is still needed."
      : "Nothing was lost: try again, or change the model.",
    ...(interrupted && {
      recovery_control: true,
      stream_id: run_id,
      journal_last_seq: session_seq,
    }),
  };
  const terminal_state = interrupted ? "interrupted-by-crash" : "errored";
  return { event: "apperror", data, terminal_state };
}

export function endingOf(event: Done, run: OpenRun, title: string | null): readonly WebuiFrame[] {
  const { event: name, data, terminal_state } = ENDINGS[event.payload.status](event, run);
  const { session_id, run_id: stream_id } = event;
  const session = exchangeOf(event, run, title);
  const usage = usageOf(event.payload.usage);
  const emitted = { ...data, session_id, stream_id, terminal_state, session, usage };
  return [{ event: name, data: emitted, terminal: true, terminal_state }, streamEnd(event)];
}

/** Also for a window that has seen the first of the two and not this one. */
export function streamEnd(event: Done): WebuiFrame {
  const { session_id, run_id, payload } = event;
  const terminal_state = ENDINGS[payload.status](event, NOTHING_KNOWN).terminal_state;
  const data = { session_id, run_id, status: payload.status };
  return { event: "stream_end", data, terminal: true, terminal_state };
}

const NOTHING_KNOWN = openRun("", "", 0);

/** This exchange alone, and so marked as not everything: the server may put the session in its place. */
function exchangeOf(event: Done, { messageId, prompt, at }: OpenRun, title: string | null) {
  const { session_id, created_at: timestamp, payload } = event;
  const user = { role: "user", content: prompt, message_id: messageId, timestamp: at };
  const assistant = { role: "assistant", content: payload.result ?? "", timestamp };
  return {
    session_id,
    ...(title !== null && { title }),
    active_stream_id: null,
    updated_at: timestamp,
    messages: payload.result === null ? [user] : [user, assistant],
    _messages_truncated: true,
  };
}

type Used = Done["payload"]["usage"];

export function usageOf({ cost_usd, ...tokens }: Used) {
  return { ...tokens, cost_usd, estimated_cost: cost_usd };
}
