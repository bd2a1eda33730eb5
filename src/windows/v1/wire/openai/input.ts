// What a conversation in an OpenAI format says to an agent: what to do now, what was said before, the
// rules, and answers to what the agent asked. What no run can take is refused, never dropped.
import type { HistoryMessage } from "../../../../kernel/events/catalogue/lifecycle.ts";
import { ApiError } from "../../../../kernel/events/errors.ts";

export type InputItem =
  | { readonly kind: "rules"; readonly text: string }
  | { readonly kind: "said"; readonly role: HistoryMessage["role"]; readonly text: string }
  | { readonly kind: "call"; readonly callId: string; readonly text: string }
  | {
      readonly kind: "output";
      readonly callId: string;
      readonly text: string;
      readonly param: string;
    }
  | {
      readonly kind: "approval";
      readonly requestId: string;
      readonly approve: boolean;
      readonly reason: string | undefined;
      readonly param: string;
    };
export type Answer = Extract<InputItem, { kind: "output" | "approval" }>;

export type Spoken = {
  readonly instructions: string;
  readonly past: readonly HistoryMessage[];
  /** What a person said after the agent's last words. */
  readonly now: readonly string[];
};

export function refuse(param: string, message: string, code = "invalid_value"): never {
  throw new ApiError("invalid_request", message, { code, issues: [{ path: param, message }] });
}

export function unsupported(param: string, message: string): never {
  refuse(param, message, "unsupported_parameter");
}

/** `answers`: items that answer a request are no part of the conversation. */
export function spokenIn(items: readonly InputItem[], answers: ReadonlySet<InputItem>): Spoken {
  const rules: string[] = [];
  const past: HistoryMessage[] = [];
  for (const item of items) {
    if (answers.has(item) || item.kind === "approval") continue;
    if (item.kind === "rules") rules.push(item.text);
    else if (item.text === "") continue;
    else if (item.kind === "said" && item.role === "user") past.push(said(item));
    else join(past, item.kind === "output" ? outputText(item.text) : item.text);
  }
  const last = past.findLastIndex(({ role }) => role === "assistant");
  const now = past.splice(last + 1).map(({ text }) => text);
  return { instructions: rules.filter((text) => text !== "").join("\n\n"), past, now };
}

function said({ role, text }: Extract<InputItem, { kind: "said" }>): HistoryMessage {
  return { role, text };
}

/** The agent's words, and what its tools did, are one message of the agent. */
function join(past: HistoryMessage[], text: string): void {
  const last = past.at(-1);
  if (last?.role !== "assistant") return void past.push({ role: "assistant", text });
  past[past.length - 1] = { role: "assistant", text: `${last.text}\n\n${text}` };
}

const TEXTS = new Set(["text", "input_text", "output_text"]);

/** Of a string, or of parts of text. */
export function contentText(content: unknown, param: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) refuse(param, "Content is a text, or a list of parts of text.");
  return content.map((part: unknown, index) => partText(part, `${param}.${index}`)).join("");
}

function partText(part: unknown, param: string): string {
  const { type, text, refusal } = fieldsOf(part, param);
  if (typeof type === "string" && TEXTS.has(type) && typeof text === "string") return text;
  if (type === "refusal" && typeof refusal === "string") return refusal;
  const what = typeof type === "string" ? `“${type.slice(0, 40)}”` : "this";
  unsupported(param, `Only parts of text can be taken, not ${what}. Say it in words.`);
}

export function fieldsOf(value: unknown, param: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse(param, "This has to be an object.");
  }
  return value as Record<string, unknown>;
}

export function textField(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  param: string,
): string {
  const value = fields[name];
  if (typeof value !== "string") refuse(`${param}.${name}`, `${name} has to be a text.`);
  return value;
}

export function callText(name: string, given: string): string {
  return `[called ${name}(${given})]`;
}

export function outputText(text: string): string {
  return `[result: ${text}]`;
}

/** Where a parameter asks for something no run can do. */
export type Unsupported = Readonly<Record<string, (value: unknown) => boolean>>;

export function refuseUnsupported(body: Readonly<Record<string, unknown>>, table: Unsupported) {
  for (const [name, asksFor] of Object.entries(table)) {
    if (!asksFor(body[name])) continue;
    unsupported(name, `${name} is not supported: tools and answers are the agent's own.`);
  }
}

export const given = (value: unknown) => value !== undefined && value !== null;
export const isTrue = (value: unknown) => value === true;
export const many = (value: unknown) => Array.isArray(value) && value.length > 0;
export const above =
  (most: number) =>
  (value: unknown): boolean =>
    typeof value === "number" && value > most;
export const otherThan =
  (...allowed: readonly unknown[]) =>
  (value: unknown): boolean =>
    given(value) && !allowed.includes(value);
