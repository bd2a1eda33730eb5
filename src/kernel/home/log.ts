// What processes say about themselves, as lines of JSON in the home: one file per kind, and every error once more in
// `errors`. Without secrets, bounded in length, rotated. Writing never fails the one who writes.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { LOG_KINDS } from "../events/log-kinds.ts";
import { rotate } from "./log-rotation.ts";

export type LogKind = (typeof LOG_KINDS)[number];
export type LogLevel = "debug" | "info" | "warn" | "error";
type Fields = Readonly<Record<string, unknown>>;

export type LogLine = {
  readonly at: string; // ISO time
  readonly level: LogLevel;
  readonly kind: string;
  readonly pid: number;
  readonly message: string;
  readonly error?: string; // with its stack
  readonly fields?: Fields;
};
export type Log = {
  write(level: LogLevel, message: string, about?: { error?: unknown; fields?: Fields }): void;
  /** The same process about something else. */
  as(kind: LogKind): Log;
};
export type LogOptions = {
  readonly home: string;
  readonly kind: LogKind;
  /** Takes secrets out. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly maxBytes?: number; // of one file
};

const MAX_BYTES = 5_000_000;
const MAX_TEXT = 8_000; // of a message or a stack

export const logFolder = (home: string) => join(home, "logs");
export const logPath = (home: string, kind: string) => join(logFolder(home), `${kind}.log`);

export function openLog(options: LogOptions): Log {
  const { home, kind, redact = (text) => text, maxBytes = MAX_BYTES } = options;
  const clean = (text: string) => redact(cut(text));
  const append = (to: LogKind, line: string) => {
    try {
      mkdirSync(logFolder(home), { recursive: true, mode: 0o700 });
      rotate(logPath(home, to), maxBytes);
      appendFileSync(logPath(home, to), line, { mode: 0o600 });
    } catch {
      // a full disk or a home that went away: whoever wanted to say something goes on
    }
  };
  return {
    as: (other) => openLog({ ...options, kind: other }),
    write(level, message, { error, fields } = {}) {
      const line: LogLine = {
        at: new Date().toISOString(),
        level,
        kind,
        pid: process.pid,
        message: clean(message),
        ...(error !== undefined && { error: clean(wordsOf(error)) }),
        ...(fields && { fields: cleaned(fields, clean) }),
      };
      const text = `${JSON.stringify(line)}\n`;
      append(kind, text);
      if (level === "error" && kind !== "errors") append("errors", text);
    },
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${wordsOf(error.cause)}`;
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`;
}

function cleaned(fields: Fields, clean: (text: string) => string): Fields {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (typeof value === "number" || typeof value === "boolean" || value === null) {
      return [name, value] as const;
    }
    return [
      name,
      clean(typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
    ] as const;
  });
  return Object.fromEntries(entries);
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}
