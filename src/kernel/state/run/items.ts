// What a run's transcript is made of. Items are values: an event replaces the ones it names and
// leaves every other with its identity, so views skip them.
import type { FileChange } from "../../events/catalogue/files.ts";
import type { Attachment } from "../../events/catalogue/lifecycle.ts";
import type { Rule, WiderRule } from "../../events/catalogue/permissions.ts";
import type { BoundedText, Plan, Risk, ToolDoneStatus } from "../../events/catalogue/tools.ts";

/** What a provider wants back with its own words; opaque. Null: nothing. */
type ProviderData = unknown;

export type UserItem = {
  readonly kind: "user";
  readonly seq: number; // of the event it began with: links and selections name it
  readonly messageId: string;
  readonly text: string;
  readonly mode: "start" | "queue" | "steer" | "goal";
  readonly attachments: readonly Attachment[];
  readonly duringTurn: string | null; // a steer: the model reads it after this turn
  readonly retracted: boolean; // taken back before a model read it
  readonly at: number;
};
export type TextItem = {
  readonly kind: "text";
  readonly seq: number;
  readonly messageId: string;
  readonly turnId: string;
  readonly text: string;
  readonly status: "streaming" | "done";
  readonly superseded: boolean;
  readonly at: number;
};
export type ReasoningItem = {
  readonly kind: "reasoning";
  readonly seq: number;
  readonly reasoningId: string;
  readonly turnId: string;
  readonly text: string;
  readonly status: "streaming" | "done";
  readonly superseded: boolean;
  readonly durationMs: number | null;
  readonly providerData: ProviderData;
  readonly at: number;
};
/** What is known of a call from its plan on, whatever becomes of it. */
type ToolCall = {
  readonly kind: "tool";
  readonly seq: number;
  readonly callId: string;
  readonly turnId: string;
  readonly providerCallId: string;
  readonly name: string;
  readonly label: string;
  readonly risk: Risk;
  readonly replay: "safe" | "ask";
  readonly plan: Plan;
  readonly planHash: string;
  readonly attempt: number;
  readonly childRunId: string | null;
  readonly checkpointId: string | null;
  readonly changes: readonly FileChange[]; // what it did to files
  readonly providerData: ProviderData;
  readonly at: number; // it was planned
};
/** What only the end of a call gives it. */
type Outcome = {
  readonly output: BoundedText;
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly endedAt: number;
};
/** A call that has not ended has none of it. Null, not absent: snapshots and fold hashes name every field. */
type NoOutcome = { readonly [Field in keyof Outcome]: null };

type Started = { readonly startedAt: number }; // of the newest attempt
type MaybeStarted = { readonly startedAt: number | null }; // null: nothing has happened yet
type Asked = { readonly request: RequestState };
type MaybeAsked = { readonly request: RequestState | null };

type OpenStatus =
  | ({ readonly status: "planned" } & MaybeStarted & MaybeAsked)
  | ({ readonly status: "awaiting_approval" } & MaybeStarted & Asked)
  | ({ readonly status: "awaiting_clarify" } & MaybeStarted & Asked)
  | ({ readonly status: "running" } & Started & MaybeAsked)
  | ({ readonly status: "outcome_unknown" } & MaybeStarted & Asked);

/** `live`: the newest part of what it printed while running; bounded. */
export type OpenTool = ToolCall & NoOutcome & { readonly live: string } & OpenStatus;
export type SettledTool = ToolCall &
  Outcome & { readonly live: ""; readonly status: ToolDoneStatus } & MaybeStarted &
  MaybeAsked;
export type ToolItem = OpenTool | SettledTool;
export type ToolStatus = ToolItem["status"];
export type NoticeItem = {
  readonly kind: "notice";
  readonly seq: number;
  readonly tone: "info" | "warning" | "error";
  readonly code: string;
  readonly text: string;
  readonly detail: string | null; // of a compression: the summary that models read from here on
  readonly request: RequestState | null; // a question that belongs to no tool call
  readonly at: number;
};
export type Item = UserItem | TextItem | ReasoningItem | ToolItem | NoticeItem;
/** An item before it has its place. */
export type NewItem<Of extends Item = Item> = Of extends Item ? Omit<Of, "seq"> : never;

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
  readonly reason: string | null; // why it is asked
  readonly always: Rule | null; // what "always" would allow from now on
  readonly wider?: readonly WiderRule[]; // patterns that may be chosen instead
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
