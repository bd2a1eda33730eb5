// One run as the events of a response. Sequence numbers follow from the run's events alone, so a reader can resume at
// any of them after any restart. Of subagents only requests are sent.
import type { BoundedText } from "../../../../kernel/events/catalogue/tools.ts";
import type { EventOf } from "../../../../kernel/events/events.ts";
import { appendOnly } from "../../../../kernel/dialect/append-only.ts";
import { recordCall, scoped } from "../../../../kernel/dialect/call-index.ts";
import { dialectTable, NOTHING, nothing, SILENT } from "../../../../kernel/dialect/dialect.ts";
import { anyOf, own } from "../followed-run.ts";
import type { Answering, Asking } from "../openai/waiting.ts";
import * as calls from "./calls.ts";
import { answer, ask, dropRequests } from "./requests.ts";
import { emptyResponse, endResponse, responseObject, type ResponsesState } from "./object.ts";
import * as writing from "./writing.ts";
import { emit, write, writeEnd, type ResponsesFrame } from "./writing.ts";

type Frames = readonly ResponsesFrame[];

const asks = anyOf((event: Asking, state: ResponsesState) => ask(state, event));
const answers = anyOf((event: Answering, state: ResponsesState) => answer(state, event));

const table = dialectTable<ResponsesState, ResponsesFrame>()({
  ...SILENT, // also `turn.superseded`: nothing had been said (append-only.ts)
  "run.queued": (event, state) => {
    if (state.runId !== null) return NOTHING;
    const { model, instructions, metadata } = event.payload;
    Object.assign(state, { model, instructions, metadata });
    state.runId = event.run_id;
    state.sessionId = event.session_id;
    state.createdAt = Math.floor(event.created_at);
    return [emit(state, "response.created", { response: responseObject(state) })];
  },
  "run.started": own((_, state) => {
    if (state.status !== "queued") return NOTHING;
    state.status = "in_progress";
    return [emit(state, "response.in_progress", { response: responseObject(state) })];
  }),
  status: nothing,
  "token.delta": own((event, state) =>
    event.payload.delta === ""
      ? NOTHING
      : write(state, writing.messageOf(event), event.payload.delta),
  ),
  "message.completed": own((event, state) => said(event, state)),
  "reasoning.delta": own((event, state) => {
    const { visibility, delta } = event.payload;
    if (visibility === "hidden" || delta === "") return NOTHING;
    return write(state, writing.thoughtOf(event), delta);
  }),
  "reasoning.done": own((event, state) => {
    const { text } = event.payload;
    return writeEnd(state, writing.thoughtOf(event), { text, status: "completed" });
  }),
  "tool.intent": own((event, state) => {
    recordCall(state.calls, event);
    const { name, plan, call_id } = event.payload;
    return calls.addToolCall(state, scoped(event, call_id), { name, arguments: plan.arguments });
  }),
  "tool.replanned": own((event, state) => {
    recordCall(state.calls, event);
    const { plan, call_id } = event.payload;
    return calls.setArguments(state, scoped(event, call_id), plan.arguments);
  }),
  "tool.done": own((event, state) => {
    recordCall(state.calls, event);
    const { ok, output, error, call_id } = event.payload;
    const text = outputText(output) || (error?.message ?? "");
    const why = ok ? null : (error?.message ?? "It failed.");
    return calls.endCall(state, scoped(event, call_id), { ok, output: text, error: why });
  }),
  "tool.outcome_unknown": asks,
  "approval.requested": asks,
  "approval.resolved": answers,
  "clarify.requested": asks,
  "clarify.resolved": answers,
  "subagent.started": anyOf((event, state) => {
    recordCall(state.calls, event);
    return NOTHING;
  }),
  error: nothing, // `done` says it too, and only once
  done: anyOf((event, state) => {
    const dropped = dropRequests(state, event.run_id);
    if (event.run_id !== state.runId) return dropped;
    const closed = writing.closeAll(state);
    endResponse(state, event.payload, event.created_at);
    const type = ENDS[event.payload.status](state);
    return [...dropped, ...closed, emit(state, type, { response: responseObject(state) })];
  }),
});

export const responsesDialect = appendOnly<ResponsesState, ResponsesFrame>({
  name: "responses",
  of: "run",
  frames: "any",
  cursor: ({ sequence_number }) => sequence_number,
  begin: emptyResponse,
  kind: ({ type }) => type,
  unknown: nothing,
  table,
});

/** The format has no event for a cancelled response: it ends as one that is not complete. */
const ENDS: Record<EventOf<"done">["payload"]["status"], (state: ResponsesState) => string> = {
  completed: ({ status }) => `response.${status}`,
  cancelled: () => "response.incomplete",
  failed: () => "response.failed",
  expired: () => "response.failed",
};

function said(event: EventOf<"message.completed">, state: ResponsesState): Frames {
  const { text, finish_reason } = event.payload;
  state.finish = finish_reason;
  const message = writing.messageOf(event);
  const status = finish_reason === "cancelled" ? "incomplete" : "completed";
  if (Object.hasOwn(state.open, message.id)) return writeEnd(state, message, { text, status });
  const known = state.output.some(({ id }) => id === message.id);
  if (text === "" || known) return NOTHING;
  return [...write(state, message, text), ...writeEnd(state, message, { text, status })];
}

const MAX = 32_768;

function outputText({ head, tail, bytes, sha256, truncated }: BoundedText): string {
  const cut = head.slice(0, MAX);
  if (!truncated && cut.length === head.length) return head;
  const whole = sha256 === null ? "" : `: /api/blobs/${sha256}`;
  return `${cut.toWellFormed()}\n[… ${bytes} bytes${whole}]\n${tail.slice(-MAX / 8).toWellFormed()}`;
}

export function responsesText(frame: ResponsesFrame): string {
  return `event: ${frame.type}\nid: ${frame.sequence_number}\ndata: ${JSON.stringify(frame)}\n\n`;
}
