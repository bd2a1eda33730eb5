// What waits for a person, as a response tells it: an approval as the format's own approval request, a
// question as a function that only the client can answer; and in words, for whoever reads the text only.
// The words are taken back when the answer is there.
import type { EventOf } from "../../../../kernel/events/events.ts";
import { scoped } from "../../../../kernel/dialect/call-index.ts";
import {
  waitingNote,
  waitingOf,
  answeredId,
  type Answering,
  type Asking,
} from "../openai/waiting.ts";
import {
  emptyMessage,
  noteId,
  QUESTIONS,
  SERVER_LABEL,
  type ApprovalRequestItem,
} from "./items.ts";
import type { ResponsesState } from "./object.ts";
import { addQuestion, dropCall, endCall } from "./calls.ts";
import { addWhole, close, write, type ResponsesFrame } from "./writing.ts";

export function ask(state: ResponsesState, event: Asking): readonly ResponsesFrame[] {
  const waiting = waitingOf(event);
  if (isOpen(state, waiting.request_id)) return [];
  const { call_id } = event.payload;
  const callId = call_id === null ? null : scoped(event, call_id);
  state.asked[waiting.request_id] = { waiting, callId, open: true };
  const { request_id, kind, prompt, choices } = waiting;
  const typed =
    event.type === "approval.requested"
      ? addWhole(state, approvalRequest(event))
      : addQuestion(state, request_id, {
          name: QUESTIONS[kind === "clarify" ? "clarify" : "unknown_outcome"],
          arguments: { question: prompt, choices },
        });
  const note = `\n\n${waitingNote(waiting)}`;
  return [...typed, ...write(state, emptyMessage(noteId(request_id)), note)];
}

export function answer(state: ResponsesState, event: Answering): readonly ResponsesFrame[] {
  const id = answeredId(event);
  const asked = state.asked[id];
  if (!isOpen(state, id) || !asked) return [];
  asked.open = false;
  const note = { ...emptyMessage(noteId(id)), status: "completed" } as const;
  const taken = close(state, note.id, note);
  if (event.type === "approval.resolved") return [...taken, ...approvalAnswer(state, event)];
  const { response, status } = event.payload;
  return [...taken, ...endCall(state, id, { ok: response !== null, output: response ?? status })];
}

function isOpen({ asked }: ResponsesState, id: string): boolean {
  return Object.hasOwn(asked, id) && asked[id]?.open === true;
}

/** Nobody answers a run that has ended, nor what it started. */
export function dropRequests(state: ResponsesState, runId: string): readonly ResponsesFrame[] {
  return Object.entries(state.asked).flatMap(([id, asked]) => {
    const over = runId === state.runId || asked.waiting.run_id === runId;
    if (!asked.open || !over) return [];
    asked.open = false;
    const note = { ...emptyMessage(noteId(id)), status: "incomplete" } as const;
    return [...close(state, note.id, note), ...dropCall(state, id)];
  });
}

function approvalRequest(event: EventOf<"approval.requested">): ApprovalRequestItem {
  const { approval_id, plan } = event.payload;
  return {
    id: approval_id,
    type: "mcp_approval_request",
    server_label: SERVER_LABEL,
    name: plan.tool,
    arguments: JSON.stringify(plan.arguments) ?? "{}",
    quarterdeck: waitingOf(event),
  };
}

function approvalAnswer(
  state: ResponsesState,
  { payload }: EventOf<"approval.resolved">,
): ResponsesFrame[] {
  const { approval_id, status, feedback } = payload;
  return addWhole(state, {
    id: `mcpr_${approval_id}`,
    type: "mcp_approval_response",
    approval_request_id: approval_id,
    approve: status === "approved",
    reason: feedback ?? (status === "approved" || status === "denied" ? null : status),
  });
}
