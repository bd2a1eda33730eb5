// What a call was given, as the HUD document has it, and what its result has to repeat of that. What does not
// fit in a frame says how large it is and where the whole is.
import type { BoundedText, Plan } from "../../../kernel/events/catalogue/tools.ts";
import type { FileMeta, FullText, HudRecord } from "./events.ts";
import type { AnyEvent } from "./ids.ts";
import { utf8Bytes } from "../../../kernel/text/truncate.ts";
import { firstOf } from "./text.ts";

/** `full`: where all of them are, if they are cut. */
export type HudArgs = { readonly args: HudRecord; readonly full: FullText | null };
type Operation = "write" | "edit" | "append";
const OPERATIONS: Readonly<Record<string, Operation>> = {
  write: "write",
  edit: "edit",
  append: "append",
};

/** What a result has to repeat of its arguments. */
export type CallOutline = {
  readonly path: string;
  readonly viewerPath: string;
  readonly offset: number | null;
  readonly limit: number | null;
  readonly lines: number; // of what is written
  readonly url: string | null;
  readonly action: string | null;
  readonly mentioned: readonly FileMeta[]; // of a command
};

export function isRecord(value: unknown): value is HudRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
export const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
export const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** The document's arguments first, so that a long content never crowds out the path. */
const FIRST = ["path", "offset", "limit", "command", "query", "url", "action"] as const;

export function hudArgs(tool: string, given: unknown, event: AnyEvent): HudArgs {
  const all: HudRecord = isRecord(given) ? given : { value: given };
  const named = FIRST.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]);
  const operation = Object.hasOwn(OPERATIONS, tool) ? { operation: OPERATIONS[tool] } : {};
  const ordered = { ...Object.fromEntries(named), ...operation };
  const rest = Object.entries(all).filter(([name]) => !Object.hasOwn(ordered, name));
  const { value, cut } = firstOf({ ...ordered, ...Object.fromEntries(rest) });
  if (!cut) return { args: value as HudRecord, full: null };
  const bytes = utf8Bytes(JSON.stringify(given) ?? "");
  return { args: value as HudRecord, full: fullOf({ bytes, sha256: null }, event) };
}

const MAX = 4_096;

export function outlineOf({ arguments: given, workspace }: Plan): CallOutline {
  const args = isRecord(given) ? given : {};
  const path = (textOf(args["path"]) ?? "").slice(0, MAX);
  return {
    path,
    viewerPath: withoutWorkspace(path, workspace),
    offset: numberOf(args["offset"]) ?? null,
    limit: numberOf(args["limit"]) ?? null,
    lines: countLines(textOf(args["content"]) ?? ""),
    url: textOf(args["url"])?.slice(0, MAX) ?? null,
    action: textOf(args["action"])?.slice(0, 200) ?? null,
    mentioned: mentionedIn(textOf(args["command"]) ?? "", workspace),
  };
}

export function withoutWorkspace(path: string, workspace: string): string {
  const root = workspace.endsWith("/") ? workspace : `${workspace}/`;
  const below = path.startsWith(root) ? path.slice(root.length) : path;
  return below.replace(/^(\.\/+)+/, "");
}

const WORD = /"([^"]*)"|'([^']*)'|([^\s"'`;|&<>()$={}*?]+)/g;
const MAX_WORDS = 100;
const MAX_PATHS = 20;

/** File paths in a command line, by their looks, as the document has it: nobody knows whether they exist. */
export function mentionedIn(command: string, workspace: string): FileMeta[] {
  const words = [...command.slice(0, 8_192).matchAll(WORD)].slice(0, MAX_WORDS);
  const paths = words
    .map(([, double, single, bare]) => double ?? single ?? bare ?? "")
    .filter((word) => !/^-|:\/\/|[\n\0]/.test(word) && /\/|[^.]\.[A-Za-z]\w*$|^\.\w/.test(word));
  return [...new Set(paths)]
    .slice(0, MAX_PATHS)
    .map((path) => ({ path, viewerPath: withoutWorkspace(path, workspace) }));
}

function countLines(text: string): number {
  if (text === "") return 0;
  const newlines = text.split("\n").length - 1;
  return text.endsWith("\n") ? newlines : newlines + 1;
}

/** By its blob, or by the event that has it: a stream from there begins with it. */
export function fullOf(
  { bytes, sha256 }: Pick<BoundedText, "bytes" | "sha256">,
  event: AnyEvent,
): FullText {
  if (sha256 !== null) return { bytes, href: `/api/blobs/${sha256}`, sha256 };
  const { run_id, seq, event_id: eventId } = event;
  return { bytes, href: `/api/runs/${run_id}/events?after_seq=${seq - 1}`, eventId };
}
