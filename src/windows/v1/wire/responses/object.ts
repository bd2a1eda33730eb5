// A run as a response object: the fold of everything that was told of it. It holds all output, because
// the last event of a response repeats all of it.
import type { Usage } from "../../../../kernel/events/catalogue/lifecycle.ts";
import { emptyCallIndex, type CallIndex } from "../../../../kernel/dialect/call-index.ts";
import { incompleteReason, responseUsage, type ResponseUsage } from "../openai/ending.ts";
import type { Waiting } from "../openai/waiting.ts";
import type { OutputItem } from "./items.ts";

/** What a request said that a run has no field for, under a name of its own in the run's metadata. */
export const V1_METADATA = "quarterdeck.v1";
export type V1Metadata = {
  readonly background?: boolean;
  readonly previous_response_id?: string;
  readonly idempotency_key?: string;
  readonly session_key?: string;
  /** `function_call`: server-side tools as hermes-agent emits them. Stored, so that every read has the same items. */
  readonly tool_items?: "function_call";
  /** `document`: begun by a client of the run contract, which reads its status in the contract's words. */
  readonly words?: "document";
};

export function keptIn(metadata: Readonly<Record<string, unknown>> | undefined): V1Metadata {
  return (metadata?.[V1_METADATA] ?? {}) as V1Metadata;
}

type Ended = "completed" | "incomplete" | "failed" | "cancelled";
export type ResponseStatus = "queued" | "in_progress" | Ended;

export type Asked = {
  readonly waiting: Waiting;
  /** The call that asked, as its own item is called: clients may answer that one. */
  readonly callId: string | null;
  open: boolean;
};

export type ResponsesState = {
  readonly calls: CallIndex;
  sequence: number; // of the next event
  runId: string | null; // the run that is followed: the first there is
  sessionId: string;
  createdAt: number;
  endedAt: number | null;
  model: string;
  instructions: string | null;
  metadata: Readonly<Record<string, unknown>>;
  status: ResponseStatus;
  finish: string; // of the model's last step
  error: { readonly code: string; readonly message: string } | null;
  usage: ResponseUsage;
  readonly output: OutputItem[];
  /** Where items are that may still change, by what they are about. */
  readonly open: Record<string, number>;
  /** Everything that was ever asked for, by id: answers may come late. */
  readonly asked: Record<string, Asked>;
};

export function emptyResponse(): ResponsesState {
  return {
    calls: emptyCallIndex(),
    sequence: 0,
    runId: null,
    sessionId: "",
    createdAt: 0,
    endedAt: null,
    model: "",
    instructions: null,
    metadata: {},
    status: "queued",
    finish: "stop",
    error: null,
    usage: null,
    output: [],
    open: {},
    asked: {},
  };
}

export function pendingIn({ asked }: ResponsesState): Waiting[] {
  return Object.values(asked).flatMap(({ waiting, open }) => (open ? [waiting] : []));
}

export type RunEnd = {
  readonly status: "completed" | "failed" | "cancelled" | "expired";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Usage;
};

export function endResponse(state: ResponsesState, end: RunEnd, at: number): void {
  state.endedAt = Math.floor(at);
  state.usage = responseUsage(end.usage);
  const cut = incompleteReason(state.finish) !== undefined;
  if (end.status === "completed") state.status = cut ? "incomplete" : "completed";
  else if (end.status === "cancelled") state.status = "cancelled";
  else {
    state.status = "failed";
    state.error = end.error ?? { code: "expired", message: "The run expired." };
  }
}

/** As it is now. Fields that no run has say what holds for every run. */
export function responseObject(state: ResponsesState) {
  const { runId, sessionId, status, error } = state;
  const own = (state.metadata[V1_METADATA] ?? {}) as V1Metadata;
  const reason = status === "incomplete" ? incompleteReason(state.finish) : undefined;
  return {
    id: `resp_${runId}`,
    object: "response",
    created_at: state.createdAt,
    status,
    background: own.background ?? false,
    completed_at: status === "completed" ? state.endedAt : null,
    conversation: { id: sessionId },
    error: error && { code: "server_error", message: error.message },
    incomplete_details: reason === undefined ? null : { reason },
    instructions: state.instructions,
    max_output_tokens: null,
    metadata: textsOf(state.metadata),
    model: state.model,
    output: [...state.output],
    parallel_tool_calls: true,
    previous_response_id: own.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: state.usage,
    quarterdeck: {
      run_id: runId,
      session_id: sessionId,
      pending: pendingIn(state),
      ...(error && { error }),
    },
  } as const;
}

/** The format knows texts only. */
function textsOf(metadata: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(metadata).filter(([name]) => name !== V1_METADATA);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
