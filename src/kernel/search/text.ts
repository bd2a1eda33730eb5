// Extracts the searchable text of an event. It is bounded, so that a long tool result costs an append no more than a page
// of text. Streamed text is found by the event that ends it, never piece by piece.
import type { PayloadOf, SearchedType } from "../events/events.ts";
import type { AnyDraft } from "../events/system-events.ts";
import { own } from "../events/own.ts";
import type { HitKind, HitRole } from "../api/records/search.ts";

export type Found = {
  readonly kind: HitKind;
  readonly role: HitRole;
  readonly tool: string; // empty: of none
  readonly text: string;
};

/** Only the beginning of a longer message is indexed. */
export const MAX_MESSAGE = 32_768; // characters
/** Of any longer text the beginning and the end are indexed, where errors usually are. */
const HEAD = 1_024;
const TAIL = 1_024;
const MAX_PATHS = 4_096;
const MAX_DEPTH = 8;

const READINGS: { readonly [Type in SearchedType]: (payload: PayloadOf<Type>) => Found } = {
  "message.user": ({ text, attachments }) =>
    said("user", [text.slice(0, MAX_MESSAGE), ...attachments.map(({ name }) => name)].join("\n")),
  "message.completed": ({ text }) => said("assistant", text),
  "tool.intent": ({ name, label, plan }) => called(name, textIn(plan.arguments) || label),
  "tool.replanned": ({ plan }) => called(plan.tool, textIn(plan.arguments)),
  "tool.done": answered,
  "files.changed": ({ changes }) => ({
    kind: "file",
    role: "tool",
    tool: "",
    text: changes
      .map(({ path }) => path)
      .join("\n")
      .slice(0, MAX_PATHS),
  }),
  error: ({ code, message }) => wrong(`${code}: ${message}`),
  "turn.superseded": ({ reason, message }) => wrong(reason === "model_error" ? message : ""),
};

/** Undefined if the event has no searchable text. */
export function searchable({ type, payload }: AnyDraft): Found | undefined {
  const reading = own(READINGS, type) as ((payload: unknown) => Found) | undefined;
  const found = reading?.(payload);
  if (!found || found.text.trim() === "") return undefined;
  return { ...found, text: found.text.toWellFormed() };
}

export function isSearchable(type: string): boolean {
  return own(READINGS, type) !== undefined;
}

function said(role: "user" | "assistant", text: string): Found {
  return { kind: "message", role, tool: "", text: text.slice(0, MAX_MESSAGE) };
}

function called(tool: string, text: string): Found {
  return { kind: "tool", role: "tool", tool, text: ends(text) };
}

function answered({ name, error, output, result }: PayloadOf<"tool.done">): Found {
  const printed = output.head + output.tail;
  const text = ends(printed.trim() === "" ? textIn(result) : printed);
  if (error === null) return { kind: "tool", role: "tool", tool: name, text };
  const { code, message } = error;
  return { kind: "error", role: "tool", tool: name, text: ends(`${code}: ${message}\n${text}`) };
}

function wrong(text: string): Found {
  return { kind: "error", role: "system", tool: "", text: ends(text) };
}

function ends(text: string): string {
  if (text.length <= HEAD + TAIL) return text;
  return `${text.slice(0, HEAD)}\n…\n${text.slice(-TAIL)}`;
}

const DIGEST = /^[0-9a-f]{32,}$/; // not useful as a search word

/** The texts and numbers in a JSON value, up to the limit. */
function textIn(value: unknown): string {
  const found: string[] = [];
  let room = 4 * (HEAD + TAIL);
  const look = (each: unknown, depth: number): void => {
    if (room <= 0 || depth > MAX_DEPTH) return;
    if (typeof each === "string" || typeof each === "number") {
      // The whole text, because its end may be indexed.
      const text = typeof each === "string" ? ends(each) : String(each);
      if (DIGEST.test(text)) return;
      found.push(text);
      room -= text.length;
    } else if (typeof each === "object" && each !== null) {
      for (const inner of Object.values(each)) look(inner, depth + 1);
    }
  };
  look(value, 0);
  return found.join("\n");
}
