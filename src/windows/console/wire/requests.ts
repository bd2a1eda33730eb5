// What waits for a person, in the console's words: the stream's frames and the list of
// /human/pending are made by the same function, so they cannot differ.
import type { RequestRecord } from "../../../kernel/api/records/records.ts";
import type { ApprovalChoice } from "../../../kernel/events/catalogue/human.ts";
import type { EventOf } from "../../../kernel/events/events.ts";
import { scoped } from "../../../kernel/dialect/call-index.ts";
import type { OpenRequest } from "./frame.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { preview } from "../../../kernel/dialect/preview.ts";
import { own } from "../../../kernel/events/own.ts";

const ARGUMENTS = 2_000; // characters that a list which is asked for every few seconds shows

export type Asked = EventOf<"approval.requested" | "clarify.requested" | "tool.outcome_unknown">;

export type ConsoleRequest = {
  readonly request_id: string;
  readonly id: string;
  /** As existing clients know it: an unknown outcome is a question to them. */
  readonly kind: "approval" | "clarify";
  readonly type: "approval" | "clarify";
  readonly request_kind: OpenRequest["kind"];
  readonly session_id: string;
  readonly run_id: string;
  readonly title: string;
  readonly prompt: string;
  /** The one field the real client shows of a question: what can be chosen stands in it too. */
  readonly message: string;
  readonly question: string | null;
  readonly choices: readonly string[];
  readonly input_mode: "choice" | "text" | "choice_or_text";
  readonly tool_name: string | null;
  readonly tool_call_id: string | null;
  readonly command: string | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly sensitive: boolean;
  readonly status: "pending";
  readonly response: null;
  readonly created_at: number;
  readonly expires_at: string | null;
  readonly expires_at_unix: number | null;
};

/** `once` is `approve_once` here; a denial is a denial. */
export function consoleChoice(choice: string): string {
  return choice === "deny" ? choice : `approve_${choice}`;
}

const SCOPES: Readonly<Record<string, ApprovalChoice>> = {
  once: "once",
  session: "session",
  always: "always",
  approve_once: "once",
  approve_session: "session",
  approve_always: "always",
};

/** Undefined for what is no way to say yes. */
export function approvalScope(word: string): ApprovalChoice | undefined {
  return own(SCOPES, word);
}

/** What was typed, as the choice it names: `Mark done` is `mark_done`. Anything else stays what it is. */
export function chosenFrom(choices: readonly string[], typed: string): string {
  if (choices.includes(typed)) return typed;
  const named = choices.filter((choice) => plain(choice) === plain(typed));
  return named.length === 1 ? (named[0] ?? typed) : typed;
}

function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ");
}

type Emitted = {
  readonly kind: OpenRequest["kind"];
  readonly title: string;
  readonly prompt: string;
  readonly choices: readonly string[];
  readonly input_mode: ConsoleRequest["input_mode"];
  readonly tool_name: string | null;
  readonly call_id: string | null;
  readonly command: string | null;
  readonly description: string | null;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly expires_at: number | null;
};
type Place = { readonly session_id: string; readonly run_id: string; readonly created_at: number };

function shaped(request_id: string, place: Place, emitted: Emitted): ConsoleRequest {
  const { kind: request_kind, title, prompt, choices, input_mode } = emitted;
  const { tool_name, call_id, command, description, expires_at } = emitted;
  const kind = request_kind === "approval" ? "approval" : "clarify";
  const { session_id, run_id, created_at } = place;
  return {
    request_id,
    id: request_id,
    kind,
    type: kind,
    request_kind,
    session_id,
    run_id,
    title,
    prompt,
    message:
      kind === "clarify" && choices.length > 0 ? `${prompt} (${choices.join(", ")})` : prompt,
    question: kind === "clarify" ? prompt : null,
    choices: kind === "approval" ? choices.map(consoleChoice) : choices,
    input_mode,
    tool_name,
    tool_call_id: call_id === null ? null : scoped(place, call_id),
    command,
    description,
    metadata: { command, description, ...emitted.more },
    sensitive: false,
    status: "pending",
    response: null,
    created_at,
    expires_at: expires_at === null ? null : isoTime(expires_at),
    expires_at_unix: expires_at,
  };
}

const FROM: { readonly [Type in Asked["type"]]: (event: EventOf<Type>) => ConsoleRequest } = {
  "approval.requested": (event) => {
    const { approval_id, call_id, title, prompt, choices, plan, risk, reason, always, expires_at } =
      event.payload;
    return shaped(approval_id, event, {
      kind: "approval",
      title,
      prompt,
      choices,
      input_mode: "choice",
      tool_name: plan.tool,
      call_id,
      command: prompt,
      description: reason ?? title,
      more: {
        risk,
        arguments: preview(plan.arguments, ARGUMENTS),
        workspace: plan.workspace,
        always: always ?? null,
      },
      expires_at,
    });
  },
  "clarify.requested": (event) => {
    const { clarify_id, call_id, question, choices, input_mode, expires_at } = event.payload;
    return shaped(clarify_id, event, {
      kind: "clarify",
      title: "A question for you",
      prompt: question,
      choices,
      input_mode,
      tool_name: call_id === null ? null : "clarify",
      call_id,
      command: null,
      description: null,
      expires_at,
    });
  },
  "tool.outcome_unknown": (event) => {
    const { request_id, call_id, name, message, choices } = event.payload;
    return shaped(request_id, event, {
      kind: "unknown_outcome",
      title: `Did “${name}” happen?`,
      prompt: message,
      choices,
      input_mode: "choice",
      tool_name: name,
      call_id,
      command: null,
      description: message,
      expires_at: null,
    });
  },
};

export function requestOf(event: Asked): ConsoleRequest {
  return (FROM[event.type] as (event: Asked) => ConsoleRequest)(event);
}

export function requestIdOf({ type, payload }: Asked): string {
  if (type === "approval.requested") return payload.approval_id;
  return type === "clarify.requested" ? payload.clarify_id : payload.request_id;
}

/** From the list alone, where the event cannot be read: less is known, but nothing is hidden. */
export function requestOfRecord(record: RequestRecord): ConsoleRequest {
  const { request_id, kind, title, prompt, choices, call_id, always, expires_at } = record;
  return shaped(request_id, record, {
    kind,
    title,
    prompt,
    choices,
    input_mode: kind === "clarify" ? "choice_or_text" : "choice",
    tool_name: null,
    call_id,
    command: kind === "approval" ? prompt : null,
    description: kind === "approval" ? title : null,
    ...(kind === "approval" && { more: { always } }),
    expires_at,
  });
}
