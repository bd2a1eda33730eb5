// What a response's output is made of. Items are values: what changes is replaced, so a frame keeps
// what it was told with.
import type { Waiting } from "../openai/waiting.ts";

export type TextPart = {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
};
export type ThoughtPart = { readonly type: "reasoning_text"; readonly text: string };
type ItemStatus = "in_progress" | "completed" | "incomplete";

export type MessageItem = {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly status: ItemStatus;
  readonly content: readonly TextPart[];
};
export type ReasoningItem = {
  readonly id: string;
  readonly type: "reasoning";
  readonly status: ItemStatus;
  readonly summary: readonly [];
  readonly content: readonly ThoughtPart[];
};
/** What the server executes. */
export type McpCallItem = {
  readonly id: string;
  readonly type: "mcp_call";
  readonly status: ItemStatus | "failed";
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly approval_request_id: string | null;
  readonly output: string | null;
  readonly error: string | null;
};
/** What the client is to do; with `tool_items: "function_call"` what the server executes, too. */
export type CallItem = {
  readonly id: string;
  readonly type: "function_call";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
};
export type CallOutputItem = {
  readonly id: string;
  readonly type: "function_call_output";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly output: string;
};
export type ApprovalRequestItem = {
  readonly id: string;
  readonly type: "mcp_approval_request";
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly quarterdeck: Waiting;
};
export type ApprovalResponseItem = {
  readonly id: string;
  readonly type: "mcp_approval_response";
  readonly approval_request_id: string;
  readonly approve: boolean;
  readonly reason: string | null;
};
export type OutputItem =
  | MessageItem
  | ReasoningItem
  | McpCallItem
  | CallItem
  | CallOutputItem
  | ApprovalRequestItem
  | ApprovalResponseItem;

/** Items that are written piece by piece. */
export type WrittenItem = MessageItem | ReasoningItem;

export const SERVER_LABEL = "quarterdeck";
/** What a person is asked, as functions that only a client can answer. */
export const QUESTIONS = {
  clarify: "quarterdeck_clarify",
  unknown_outcome: "quarterdeck_unknown_outcome",
} as const;

export function emptyMessage(id: string): MessageItem {
  return { id, type: "message", role: "assistant", status: "in_progress", content: [] };
}

export function emptyReasoning(id: string): ReasoningItem {
  return { id, type: "reasoning", status: "in_progress", summary: [], content: [] };
}

export function textPart(text: string): TextPart {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

export function thoughtPart(text: string): ThoughtPart {
  return { type: "reasoning_text", text };
}

/** Where a request is told in words, until it is answered. */
export function noteId(requestId: string): string {
  return `msg_${requestId}`;
}
