// What waits for a person, as the browser's cards read it: the same from a stream's event and from
// the list of what is pending, so that a reload shows the same card.
import type { RequestRecord } from "../../../kernel/api/records/records.ts";
import type { Rule } from "../../../kernel/events/catalogue/permissions.ts";
import type { EventOf } from "../../../kernel/events/events.ts";
import { bounded } from "./frames.ts";

type Request = Omit<RequestRecord, "call_id">;

/** Without an expiry a card counts nothing down: zero is "no limit" to its clients. */
const timeOf = ({ created_at, expires_at }: Pick<Request, "created_at" | "expires_at">) => ({
  requested_at: created_at,
  timeout_seconds: expires_at === null ? 0 : Math.max(0, expires_at - created_at),
  expires_at,
});

export function approvalCard(request: Request): Record<string, unknown> {
  const { always } = request;
  const keys = always === null ? [] : [patternOf(always)];
  return {
    approval_id: request.request_id,
    session_id: request.session_id,
    run_id: request.run_id,
    command: bounded(request.prompt),
    description: request.title,
    choices: request.choices,
    plan_hash: request.plan_hash,
    ...(keys[0] !== undefined && { pattern_key: keys[0] }),
    pattern_keys: keys, // what "always" would allow from now on
    ...timeOf(request),
  };
}

export function clarifyCard(request: Request): Record<string, unknown> {
  return {
    clarify_id: request.request_id,
    session_id: request.session_id,
    run_id: request.run_id,
    kind: request.kind,
    question: bounded(request.prompt),
    choices_offered: request.choices,
    choices: request.choices,
    ...timeOf(request),
  };
}

function patternOf({ tool, argv, path, host }: Rule): string {
  return [tool, ...(argv ?? []), ...[path, host].filter((part) => part !== undefined)].join(" ");
}

export type Asking = EventOf<"approval.requested" | "clarify.requested" | "tool.outcome_unknown">;

/** The event as the list of what is pending has it. */
export function requestOf(event: Asking): Request {
  const { run_id, session_id, created_at } = event;
  const about = { run_id, session_id, created_at, plan_hash: null, always: null, expires_at: null };
  if (event.type === "approval.requested") {
    const { approval_id, title, prompt, choices, plan_hash, always, expires_at } = event.payload;
    const known = { request_id: approval_id, kind: "approval", title, prompt, choices } as const;
    return { ...about, ...known, plan_hash, always: always ?? null, expires_at };
  }
  if (event.type === "clarify.requested") {
    const { clarify_id, question, choices, expires_at } = event.payload;
    const known = { request_id: clarify_id, kind: "clarify", title: "A question for you" } as const;
    return { ...about, ...known, prompt: question, choices, expires_at };
  }
  const { request_id, name, message, choices } = event.payload;
  const title = `Did “${name}” happen?`;
  return { ...about, request_id, kind: "unknown_outcome", title, prompt: message, choices };
}
