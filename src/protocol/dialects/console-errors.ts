import { own } from "../own.ts";
// The codes the console's clients know beside our own (errors.ts), each with its status, and which field
// of a body has which. The code is the contract; messages may change freely.

export const CONSOLE_ERRORS = {
  invalid_json: 400,
  invalid_prompt: 400,
  invalid_session_id: 400,
  invalid_run_id: 400,
  invalid_message_id: 400,
  invalid_conversation_history: 400,
  invalid_runtime_context: 400,
  invalid_ephemeral_system_prompt: 400,
  invalid_attachments: 400,
  invalid_focus_topic: 400,
  invalid_request_id: 400,
  invalid_request_kind: 400,
  invalid_decision: 400,
  invalid_response: 400,
  invalid_feedback: 400,
  invalid_enabled: 400,
  invalid_pagination: 400,
  missing_query: 400,
  invalid_request: 400,
  run_not_found: 404,
  session_not_found: 404,
  request_not_found: 404,
  already_answered: 409,
  request_expired: 409,
  run_not_active: 409,
  run_active: 409,
  nothing_to_retry: 409,
  not_newest: 409,
  queue_full: 409,
} as const;
export type ConsoleErrorCode = keyof typeof CONSOLE_ERRORS;

const BY_FIELD: Readonly<Record<string, ConsoleErrorCode>> = {
  message: "invalid_prompt",
  prompt: "invalid_prompt",
  session_id: "invalid_session_id",
  run_id: "invalid_run_id",
  message_id: "invalid_message_id",
  client_message_id: "invalid_message_id",
  command_id: "invalid_message_id",
  conversation_history: "invalid_conversation_history",
  history: "invalid_conversation_history",
  runtime_context: "invalid_runtime_context",
  metadata: "invalid_runtime_context",
  ephemeral_system_prompt: "invalid_ephemeral_system_prompt",
  instructions: "invalid_ephemeral_system_prompt",
  attachments: "invalid_attachments",
  focus_topic: "invalid_focus_topic",
  focus: "invalid_focus_topic",
  request_id: "invalid_request_id",
  scope: "invalid_decision",
  decision: "invalid_decision",
  response: "invalid_response",
  answer: "invalid_response",
  feedback: "invalid_feedback",
  enabled: "invalid_enabled",
  limit: "invalid_pagination",
  offset: "invalid_pagination",
};

/** The code of a body whose field `name` does not fit. */
export function fieldCode(name: string): ConsoleErrorCode {
  return own(BY_FIELD, name) ?? "invalid_request";
}
