// The frames between the runner and its tool host, one JSON object per line. Readers are tolerant: unknown fields and
// kinds are ignored, and a broken line never ends a process.
import { parseJson } from "./frame-lines.ts";
import type { ToolErrorCode } from "./tool-error.ts";
import type { ToolName } from "./tools.ts";

export type OutputStream = "stdout" | "stderr";

export type CallFrame = {
  kind: "call";
  id: string;
  tool: ToolName;
  input: unknown;
  /** Monotonic nanoseconds (process.hrtime.bigint(), one clock per machine). No effect begins after it. */
  not_after: string;
  /** Becomes QUARTERDECK_RUN in the environment of every command, so that survivors can be found. */
  marker: string;
};
export type AbortFrame = { kind: "abort"; id: string };
/** For the standard input of a process; `id` is the process's. `end` closes it after the data. */
export type InputFrame = { kind: "input"; id: string; data: string; end: boolean };
export type RunnerFrame = CallFrame | AbortFrame | InputFrame;

/** The bytes follow the line as they are. `id` is the call's, or of a process opened as a pipe. */
export type OutputFrame = { kind: "output"; id: string; stream: OutputStream; bytes: number };
export type ToolResult = Record<string, unknown>;
export type DoneFrame = { kind: "done"; id: string } & (
  | { ok: true; result: ToolResult }
  | { ok: false; error: { code: ToolErrorCode; message: string } }
);
export type ProcessExit = {
  exit_code: number | null;
  signal: string | null;
  limit?: LimitName;
  /** The end of what a pipe wrote to its standard error; empty for others, which have a log. */
  stderr: string;
};
/** Unsolicited: a process that goes on behind its call has ended. `id` is the process's. */
export type ProcessFrame = { kind: "process"; id: string; marker: string; exit: ProcessExit };
/** Unsolicited: what a background process printed lately. `data` is base64. */
export type LogFrame = {
  kind: "log";
  id: string;
  marker: string;
  offset: number;
  total: number;
  data: string;
};
/** The first frame of every host: one that never sent it has begun no call. */
export type ReadyFrame = { kind: "ready"; id: string };
export type HostFrame = OutputFrame | DoneFrame | ProcessFrame | LogFrame | ReadyFrame;
export type LimitName = "memory" | "processes";

const HOST_KINDS = new Set<unknown>([
  "output",
  "done",
  "process",
  "log",
  "ready",
] satisfies HostFrame["kind"][]);

/** A 64 KiB chunk or page, escaped at worst six times over, fits. */
export const MAX_HOST_LINE = 1 << 20;
/** The largest write (8 MiB), escaped at worst six times over, fits. */
export const MAX_RUNNER_LINE = 64 << 20;

export type ParsedLine =
  | { ok: true; frame: RunnerFrame }
  | { ok: false; id: string | undefined; message: string };

export function parseRunnerLine(
  line: string,
  isToolName: (name: unknown) => name is ToolName,
): ParsedLine {
  const value = parseJson(line);
  if (!isRecord(value)) return { ok: false, id: idInside(line), message: "not a JSON object" };
  const { kind, id } = value;
  if (!isId(id)) return { ok: false, id: undefined, message: "no id" };
  if (kind === "abort") return { ok: true, frame: { kind, id } };
  if (kind === "input") return parseInput(id, value);
  if (kind !== "call") return { ok: false, id, message: "unknown kind of frame" };
  const { tool, input, not_after, marker } = value;
  if (!isToolName(tool)) return { ok: false, id, message: "unknown tool" };
  if (typeof not_after !== "string" || !/^\d{1,30}$/.test(not_after)) {
    return { ok: false, id, message: "not_after must be nanoseconds as a string" };
  }
  if (typeof marker !== "string" || !isMarker(marker)) {
    return { ok: false, id, message: "marker must be 1 to 512 printable characters" };
  }
  return { ok: true, frame: { kind, id, tool, input, not_after, marker } };
}

function parseInput(id: string, { data, end }: Record<string, unknown>): ParsedLine {
  if (typeof data !== "string") return { ok: false, id: undefined, message: "no data" };
  return { ok: true, frame: { kind: "input", id, data, end: end === true } };
}

export function parseHostLine(line: string): HostFrame | undefined {
  const value = parseJson(line);
  if (!isRecord(value) || !isId(value["id"])) return undefined;
  if (!HOST_KINDS.has(value["kind"])) return undefined;
  if (value["kind"] === "output" && !Number.isSafeInteger(value["bytes"])) return undefined;
  return value as HostFrame; // written by our own program of the same version
}

/** A marker is compared byte for byte with an environment entry, so it must not be able to end one. */
export function isMarker(value: string): boolean {
  return /^[\x20-\x7e]{1,512}$/.test(value);
}

/** The id of a line that is not JSON (cut, too long): its caller must not wait for ever. */
export function idInside(line: string): string | undefined {
  return /"id"\s*:\s*"([^"\\]{1,200})"/.exec(line.slice(0, 1_000))?.[1];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 200;
}
