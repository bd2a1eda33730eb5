// Redacts known secrets from everything before it is stored or shown, also when they arrive in pieces.
// It works by value: a secret that was compressed, encrypted, reversed, encoded twice, interleaved or truncated is not
// recognised, and neither is one that nobody declared. Of a hex or base64 form that a line break cuts after one to three
// letters, those letters are shown. It prevents keys from leaking by accident; it does not stop a program that leaks them
// on purpose.
import { createAutomaton, type Automaton } from "./automaton.ts";
import { formsOf, longestLines, type Secret } from "./forms.ts";

export type { Secret } from "./forms.ts";

/** Shorter values would match ordinary text. */
const MIN_SECRET_CHARS = 8;

export type Redacting<Piece> = {
  /** Returns all but a possible beginning of a secret, which waits for the next piece. */
  push(piece: Piece): Piece;
  end(): Piece;
};

export type Redactor = {
  /** Of the strings themselves, not of their JSON: a secret may begin with the `n` of an escaped newline. */
  readonly text: (text: string) => string;
  readonly stream: () => Redacting<string>;
  /** For command output: nothing is decoded, so bytes that are not text pass unchanged. */
  readonly bytes: () => Redacting<Buffer>;
  /** The longest form: after a cut, at most this much can be the rest of a secret. */
  readonly longest: { readonly lines: number; readonly bytes: number };
};

/** Undefined if no secret is known. */
export function createRedactor(secrets: readonly Secret[]): Redactor | undefined {
  const byValue = new Map<string, string>();
  for (const { name, value } of secrets) {
    const trimmed = value.trim();
    if (trimmed.length >= MIN_SECRET_CHARS && !byValue.has(trimmed)) byValue.set(trimmed, name);
  }
  if (byValue.size === 0) return undefined;
  const values = [...byValue.keys()];
  const marks = [...byValue.values()].map(markOf);
  const matcher = { automaton: createAutomaton(formsOf(values, "utf16")), marks };
  const isAscii = values.every((value) => Buffer.byteLength(value) === value.length);
  const byteMatcher = isAscii
    ? matcher
    : { automaton: createAutomaton(formsOf(values, "bytes")), marks };
  return {
    text: (whole) => redactText(matcher, whole),
    stream: () => textStream(matcher),
    bytes: () => byteStream(byteMatcher),
    longest: { lines: longestLines(values), bytes: byteMatcher.automaton.longest },
  };
}

/** Safe inside JSON, a URL and a command line, whatever the name. */
function markOf(name: string): string {
  return `[redacted:${name.replaceAll(/[^\w.-]/g, "_").slice(0, 64)}]`;
}

type Matcher = { readonly automaton: Automaton; readonly marks: readonly string[] };

/** `covered`: how much of the text belongs to a secret whose mark was already returned. */
type Held = { readonly text: string; readonly covered: number };
type Passed = { readonly out: string; readonly held: Held };

const NOTHING: Held = { text: "", covered: 0 };

/**
 * The one pass over text, complete or in pieces. Overlapping matches become one mark, so that the
 * rest of one secret is never shown because another was found first.
 */
function pass({ automaton, marks }: Matcher, held: Held, more: "more" | "last"): Passed {
  const { text } = held;
  const undecided = ({ open }: { open: boolean }) => open && more === "more";
  let { covered } = held;
  let at = 0; // what is before this is decided
  let out = "";
  for (;;) {
    for (; at < covered; at += 1) {
      const found = automaton.matchAt(text, at);
      if (undecided(found)) {
        return { out, held: { text: text.slice(at), covered: covered - at } };
      }
      covered = Math.max(covered, found.to);
    }
    const { end } = automaton.scan(text, at);
    if (end < 0) break;
    let start = Math.max(at, end - automaton.longest);
    let found = automaton.matchAt(text, start);
    while (found.to === 0 && !undecided(found)) found = automaton.matchAt(text, (start += 1));
    out += text.slice(at, start);
    if (undecided(found)) return { out, held: { text: text.slice(start), covered: 0 } };
    out += marks[found.secret];
    at = start;
    covered = found.to;
  }
  if (more === "last") return { out: out + text.slice(at), held: NOTHING };
  let start = Math.max(at, text.length - automaton.longest);
  while (start < text.length && !automaton.matchAt(text, start).open) start += 1;
  return { out: out + text.slice(at, start), held: { text: text.slice(start), covered: 0 } };
}

function redactText(matcher: Matcher, text: string): string {
  if (text.length < MIN_SECRET_CHARS || matcher.automaton.scan(text, 0).end < 0) return text;
  return pass(matcher, { text, covered: 0 }, "last").out;
}

type Holding = Redacting<string> & { readonly isIdle: () => boolean };

function textStream(matcher: Matcher): Holding {
  let held = NOTHING;
  return {
    isIdle: () => held.text === "",
    push(piece) {
      if (held.text === "") {
        const { end, idle } = matcher.automaton.scan(piece, 0);
        if (end < 0 && idle) return piece;
      }
      const passed = pass(matcher, { ...held, text: held.text + piece }, "more");
      held = passed.held;
      return passed.out;
    },
    end() {
      const { out } = pass(matcher, held, "last");
      held = NOTHING;
      return out;
    },
  };
}

/** Longer lines are shown in parts, because their end may never come. */
const MAX_LINE_CHARS = 8_192;

/** A line whose end has to wait is held back completely: otherwise another stream's output would split it. */
function byteStream(matcher: Matcher): Redacting<Buffer> {
  const stream = textStream(matcher);
  let line = "";
  return {
    push(piece) {
      if (stream.isIdle()) {
        const { end, idle } = matcher.automaton.scanBytes(piece);
        if (end < 0 && idle) return piece; // as it is: no copy
      }
      const text = line + stream.push(piece.toString("latin1"));
      const from = stream.isIdle() ? text.length : text.lastIndexOf("\n") + 1;
      const shown = text.length - from > MAX_LINE_CHARS ? text.length : from;
      line = text.slice(shown);
      return Buffer.from(text.slice(0, shown), "latin1");
    },
    end() {
      const text = line + stream.end();
      line = "";
      return Buffer.from(text, "latin1");
    },
  };
}
