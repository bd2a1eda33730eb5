// What clients of `/v1/runs` send: gateway clients say `input`, the web UI's runner client says `message`.
// Both are taken; what neither knows is ignored, as they do.
import { z } from "zod";
import type { HistoryMessage } from "../../../kernel/events/catalogue/lifecycle.ts";
import { own } from "../../../kernel/events/own.ts";

const Part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(Part)]).nullish();
export const V1Message = z.looseObject({ role: z.string().max(40), content: Content });
export type V1Message = z.infer<typeof V1Message>;

const History = z.array(V1Message).max(2_000);
const Text = z.string().max(131_072);
const Name = z.string().min(1).max(200);

export const V1StartRun = z.looseObject({
  input: z.union([Text, History]).optional(),
  message: Text.optional(),
  session_id: z.string().nullish(),
  instructions: z.string().max(65_536).nullish(),
  conversation_history: History.nullish(),
  previous_response_id: z.string().max(300).nullish(),
  model: Name.nullish(),
  provider: Name.nullish(),
  workspace: z.string().min(1).max(4_096).nullish(),
  profile: Name.nullish(),
  toolsets: z.array(Name).max(50).nullish(),
  source: Name.nullish(),
  metadata: z.record(z.string().max(200), z.json()).nullish(),
  attachments: z.array(z.json()).max(20).nullish(),
});
export type V1StartRun = z.infer<typeof V1StartRun>;

export const V1Approval = z.looseObject({
  choice: z.string().max(40).optional(),
  request_id: z.string().max(300).nullish(),
  approval_id: z.string().max(300).nullish(),
  all: z.boolean().optional(),
  resolve_all: z.boolean().optional(),
  feedback: z.string().max(8_192).optional(),
});
export const V1Text = z.looseObject({
  input: Text.optional(),
  message: Text.optional(),
  text: Text.optional(),
  response: Text.optional(),
  answer: Text.optional(),
  mode: z.enum(["queue", "steer", "continue"]).optional(),
});
export const V1Goal = z.looseObject({
  action: z.enum(["set", "edit", "pause", "resume", "clear", "status"]),
  text: z.string().max(8_192).nullish(),
});

export type Spoken = {
  readonly message: string | undefined; // the newest words of a person
  readonly history: readonly HistoryMessage[];
  readonly instructions: readonly string[];
};

/** What a conversation says to an agent: its last user message, what was said before it, and its rules. */
export function spokenIn(messages: readonly V1Message[]): Spoken {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const emitted = messages
    .slice(0, last)
    .map(({ role, content }) => ({ role, text: textOf(content) }));
  const history = emitted.flatMap(({ role, text }): HistoryMessage[] =>
    (role === "user" || role === "assistant") && text !== "" ? [{ role, text }] : [],
  );
  const instructions = messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(({ content }) => textOf(content))
    .filter((text) => text !== "");
  const newest = messages[last];
  return { message: newest && textOf(newest.content), history, instructions };
}

export function textOf(content: V1Message["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}

const CHOICES: Readonly<Record<string, "once" | "session" | "always" | "deny">> = {
  once: "once",
  approve: "once",
  approved: "once",
  allow: "once",
  approve_once: "once",
  session: "session",
  approve_session: "session",
  always: "always",
  approve_always: "always",
  deny: "deny",
  denied: "deny",
  reject: "deny",
};

export function approvalChoice(word: string | undefined) {
  const known = word?.toLowerCase() ?? "";
  return own(CHOICES, known);
}
