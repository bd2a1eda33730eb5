// What waits for a person, in words: the OpenAI formats have no place for most of it, so it is said
// where everybody reads, with how to answer.
import type { EventOf } from "../../../../kernel/events/events.ts";
import { preview } from "../../../../kernel/dialect/preview.ts";

/** A request as the journal lists it, or as an event tells it. */
export type Waiting = {
  readonly request_id: string;
  readonly run_id: string; // a subagent's, when a subagent asks
  readonly session_id: string;
  readonly kind: "approval" | "clarify" | "unknown_outcome";
  readonly title: string;
  readonly prompt: string;
  readonly choices: readonly string[];
};

export type Asking = EventOf<"approval.requested" | "clarify.requested" | "tool.outcome_unknown">;
export type Answering = EventOf<"approval.resolved" | "clarify.resolved">;

const MAX = 600;

export function waitingOf(event: Asking): Waiting {
  const { run_id, session_id } = event;
  const where = { run_id, session_id };
  if (event.type === "approval.requested") {
    const { approval_id, title, prompt, choices } = event.payload;
    return { request_id: approval_id, ...where, kind: "approval", title, prompt, choices };
  }
  if (event.type === "clarify.requested") {
    const { clarify_id, question, choices } = event.payload;
    const asked = { title: "A question", prompt: question, choices };
    return { request_id: clarify_id, ...where, kind: "clarify", ...asked };
  }
  const { request_id, name, message, choices } = event.payload;
  const asked = { title: `Did ${name} happen?`, prompt: message, choices };
  return { request_id, ...where, kind: "unknown_outcome", ...asked };
}

/** Without what a list would add: the same whoever tells it. */
export function waitingFields(request: Waiting): Waiting {
  const { request_id, run_id, session_id, kind, title, prompt, choices } = request;
  return { request_id, run_id, session_id, kind, title, prompt, choices };
}

export function answeredId(event: Answering): string {
  return event.type === "approval.resolved" ? event.payload.approval_id : event.payload.clarify_id;
}

export function waitingNote(request: Waiting): string {
  const { request_id, run_id, session_id, kind, title, prompt, choices } = request;
  const what = kind === "approval" ? "approval" : "an answer";
  const asked = [title, preview(prompt, MAX)].filter((text) => text !== "").join(": ");
  const choose = choices.length > 0 ? ` (${choices.join(", ")})` : "";
  const call =
    kind === "approval"
      ? `POST /v1/runs/${run_id}/approval {"request_id":"${request_id}","choice":"…"}`
      : `POST /v1/runs/${run_id}/clarifications/${request_id}/respond {"response":"…"}`;
  return `[Waiting for ${what}: ${asked}${choose}. Answer with ${call} or at /s/${session_id}.]`;
}

export function answeredNote(event: Answering): string {
  const { payload } = event;
  const word = "choice" in payload ? payload.choice : payload.response;
  return word === null ? `[${payload.status}]` : `[${payload.status}: ${preview(word, MAX)}]`;
}
