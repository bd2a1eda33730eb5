// What a run's transcript is made of. Items are values: an event replaces the ones it names and
// leaves every other with its identity, so views skip them.
import type { BoundedText, Plan, Risk } from "./catalogue/tools.ts";

export type UserItem = {
  readonly kind: "user";
  readonly messageId: string;
  readonly text: string;
  readonly mode: "start" | "queue" | "steer";
  readonly duringTurn: string | null; // a steer: the model reads it after this turn
  readonly at: number;
};
export type TextItem = {
  readonly kind: "text";
  readonly messageId: string;
  readonly turnId: string;
  readonly text: string;
  readonly status: "streaming" | "done";
  readonly superseded: boolean;
  readonly at: number;
};
export type ReasoningItem = {
  readonly kind: "reasoning";
  readonly reasoningId: string;
  readonly turnId: string;
  readonly text: string;
  readonly status: "streaming" | "done";
  readonly superseded: boolean;
  readonly durationMs: number | null;
  readonly at: number;
};
export type ToolStatus =
  | "planned"
  | "awaiting_approval"
  | "awaiting_clarify"
  | "running"
  | "outcome_unknown"
  | "completed"
  | "failed"
  | "denied"
  | "skipped"
  | "cancelled"
  | "marked_done";
export type ToolItem = {
  readonly kind: "tool";
  readonly callId: string;
  readonly turnId: string;
  readonly providerCallId: string;
  readonly name: string;
  readonly label: string;
  readonly risk: Risk;
  readonly replay: "safe" | "ask";
  readonly plan: Plan;
  readonly planHash: string;
  readonly status: ToolStatus;
  readonly attempt: number;
  readonly live: string; // the newest part of what it printed while running; bounded
  readonly output: BoundedText | null;
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly request: RequestState | null;
  readonly childRunId: string | null;
  readonly at: number;
};
export type NoticeItem = {
  readonly kind: "notice";
  readonly tone: "info" | "warning" | "error";
  readonly code: string;
  readonly text: string;
  readonly request: RequestState | null; // a question that belongs to no tool call
  readonly at: number;
};
export type Item = UserItem | TextItem | ReasoningItem | ToolItem | NoticeItem;

/** Something that waits for a person, or waited. */
export type RequestState = {
  readonly id: string;
  readonly kind: "approval" | "clarify" | "unknown_outcome";
  readonly callId: string | null;
  readonly title: string;
  readonly prompt: string;
  readonly choices: readonly string[];
  readonly freeText: boolean;
  readonly planHash: string | null;
  readonly expiresAt: number | null;
  readonly at: number;
  readonly answer: RequestAnswer | null;
};
export type RequestAnswer = {
  readonly status: "approved" | "denied" | "answered" | "expired" | "cancelled";
  readonly choice: string | null; // an ApprovalChoice, or the answer in words
  readonly feedback: string | null;
  readonly by: string;
  readonly at: number;
};
