// What was said in a run, as OpenTelemetry's attributes for messages: only for those who asked for it. From the
// journal's events, which hold no known secret; bounded, because collectors refuse what is too large.
import type { PayloadOf } from "../../../kernel/events/events.ts";

type Part =
  | { readonly type: "text"; readonly content: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
    }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: unknown };
type Message = {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
};
type Kept = Message & { readonly messageId?: string };

const MAX_PART = 16_384; // characters
const MAX_MESSAGES = 65_536; // characters of one attribute

/** A run's messages so far, oldest first. */
export type Contents = Kept[];

export function userSaid(
  contents: Contents,
  { message_id: messageId, text }: PayloadOf<"message.user">,
): void {
  contents.push({ role: "user", parts: [{ type: "text", content: cut(text) }], messageId });
}

/** Null: it was taken back. */
export function userEdited(
  contents: Contents,
  { message_id, text }: PayloadOf<"message.edited">,
): void {
  const at = contents.findIndex(({ messageId }) => messageId === message_id);
  if (at < 0) return;
  const [old] = contents.splice(at, 1);
  if (old && text !== null) {
    contents.splice(at, 0, { ...old, parts: [{ type: "text", content: cut(text) }] });
  }
}

/** What the turn was told, and what it said. */
export function turnSaid(
  contents: Contents,
  { text, tool_calls, finish_reason }: PayloadOf<"message.completed">,
): Record<string, string> {
  const said: Message = {
    role: "assistant",
    parts: [
      ...(text === "" ? [] : [{ type: "text", content: cut(text) } as const]),
      ...tool_calls.map(({ call_id: id, name, arguments_text }) => ({
        type: "tool_call" as const,
        id,
        name,
        arguments: cut(arguments_text),
      })),
    ],
    finish_reason,
  };
  const attributes = {
    "gen_ai.input.messages": messagesText(contents),
    "gen_ai.output.messages": messagesText([said]),
  };
  contents.push(said);
  return attributes;
}

export function toolAnswered(
  contents: Contents,
  { call_id: id, result }: PayloadOf<"tool.done">,
): Record<string, string> {
  const response = bounded(result);
  contents.push({ role: "tool", parts: [{ type: "tool_call_response", id, response }] });
  return { "gen_ai.tool.call.result": cut(JSON.stringify(result)) };
}

export function toolAsked(given: unknown): Record<string, string> {
  return { "gen_ai.tool.call.arguments": cut(JSON.stringify(given)) };
}

export function runSaid(contents: Contents, { result }: PayloadOf<"done">): Record<string, string> {
  const asked = contents.filter(({ role }) => role === "user");
  const said: Message = {
    role: "assistant",
    parts: [{ type: "text", content: cut(result ?? "") }],
  };
  return {
    "gen_ai.input.messages": messagesText(asked),
    ...(result !== null && { "gen_ai.output.messages": messagesText([said]) }),
  };
}

/** The newest that fit. */
function messagesText(messages: readonly Kept[]): string {
  const texts: string[] = [];
  let room = MAX_MESSAGES;
  for (const { messageId: _, ...message } of messages.toReversed()) {
    const text = JSON.stringify(message);
    room -= text.length;
    if (room < 0 && texts.length > 0) break;
    texts.push(text);
  }
  return `[${texts.toReversed().join(",")}]`;
}

function cut(text: string): string {
  if (text.length <= MAX_PART) return text;
  return `${text.slice(0, MAX_PART).toWellFormed()}… (${text.length - MAX_PART} characters more)`;
}

/** As it is while it is small; otherwise the beginning of its JSON. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_PART ? value : cut(text);
}
