// Arguments and results per tool, in the shapes of the HUD document. Every shape is whole whatever became of
// the call: a client may read `result.area.startLine` of a call that was denied.
import type { BoundedText, Plan } from "../catalogue/tools.ts";
import type { PayloadOf } from "../events.ts";
import type { FileArea, FileMeta, FullText, HudRecord } from "./hud-events.ts";
import type { AnyEvent } from "./hud-ids.ts";
import { firstBytes, firstOf, FRAME_TEXT, lastBytes, preview, utf8Bytes } from "./hud-text.ts";
import { own } from "../own.ts";

export type HudArgs = { readonly args: HudRecord; readonly cut: boolean };
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
};

function isRecord(value: unknown): value is HudRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** The document's arguments first, so that a long content never crowds out the path. */
const FIRST = ["path", "offset", "limit", "command", "query", "url", "action"] as const;

export function hudArgs(tool: string, given: unknown): HudArgs {
  const all: HudRecord = isRecord(given) ? given : { value: given };
  const named = FIRST.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]);
  const operation = Object.hasOwn(OPERATIONS, tool) ? { operation: OPERATIONS[tool] } : {};
  const ordered = { ...Object.fromEntries(named), ...operation };
  const rest = Object.entries(all).filter(([name]) => !Object.hasOwn(ordered, name));
  const { value, cut } = firstOf({ ...ordered, ...Object.fromEntries(rest) });
  return { args: value as HudRecord, cut };
}

const MOST = 4_096;

export function outlineOf({ arguments: given, workspace }: Plan): CallOutline {
  const args = isRecord(given) ? given : {};
  const path = (textOf(args["path"]) ?? "").slice(0, MOST);
  return {
    path,
    viewerPath: withoutWorkspace(path, workspace),
    offset: numberOf(args["offset"]) ?? null,
    limit: numberOf(args["limit"]) ?? null,
    lines: countLines(textOf(args["content"]) ?? ""),
    url: textOf(args["url"])?.slice(0, MOST) ?? null,
    action: textOf(args["action"])?.slice(0, 200) ?? null,
  };
}

export function withoutWorkspace(path: string, workspace: string): string {
  const root = workspace.endsWith("/") ? workspace : `${workspace}/`;
  const below = path.startsWith(root) ? path.slice(root.length) : path;
  return below.replace(/^(\.\/+)+/, "");
}

function countLines(text: string): number {
  if (text === "") return 0;
  const newlines = text.split("\n").length - 1;
  return text.endsWith("\n") ? newlines : newlines + 1;
}

type Done = PayloadOf<"tool.done">;
type Ended = { readonly done: Done; readonly event: AnyEvent };
type Result = HudRecord & { readonly ok: boolean };
type Shape = (fields: HudRecord, outline: CallOutline, ended: Ended) => HudRecord;

export function hudResult(tool: string, outline: CallOutline, ended: Ended): Result {
  const { done } = ended;
  const fields = isRecord(done.result) ? done.result : {};
  const shape = own(SHAPES, tool);
  const found = shape ?? (tool.startsWith("sessions_") ? action : fallback);
  const error = done.error && { error: firstBytes(done.error.message).text };
  // Beside the document: how it ended when it did not just run, and why.
  const status =
    done.status === "completed" || done.status === "failed" ? {} : { status: done.status };
  return { ok: done.ok, ...found(fields, outline, ended), ...status, ...error };
}

const NO_LINES: FileArea = { startLine: 0, endLine: 0 };

function areaOf(value: unknown): FileArea | undefined {
  if (!isRecord(value)) return undefined;
  const [startLine, endLine] = [numberOf(value["startLine"]), numberOf(value["endLine"])];
  return startLine === undefined || endLine === undefined ? undefined : { startLine, endLine };
}

function fileOf(value: unknown, { path, viewerPath }: CallOutline, area: FileArea): FileMeta {
  const file = isRecord(value) ? value : {};
  return {
    path: textOf(file["path"]) ?? path,
    viewerPath: textOf(file["viewerPath"]) ?? viewerPath,
    area,
  };
}

function pathsOf(value: unknown): FileMeta[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap((file) => {
    const path = textOf(file["path"]);
    const viewerPath = textOf(file["viewerPath"]);
    const area = areaOf(file["area"]);
    if (path === undefined || viewerPath === undefined) return [];
    return [{ path, viewerPath, ...(area && { area }) }];
  });
}

/** Where lines were asked for and nobody says which there were. The last one counts as read. */
function askedArea({ offset, limit }: CallOutline): FileArea {
  if (offset === null && limit === null) return NO_LINES;
  const startLine = offset ?? 1;
  return { startLine, endLine: startLine + Math.max(limit ?? 1, 1) - 1 };
}

/** A file's lines after a change: as the tool says; a write a person vouches for has all of its lines. */
function changed(fields: HudRecord, outline: CallOutline, { done }: Ended) {
  const vouched =
    done.ok && outline.lines > 0 ? { startLine: 1, endLine: outline.lines } : NO_LINES;
  const area = areaOf(fields["area"]) ?? vouched;
  return { file: fileOf(fields["file"], outline, area), area };
}

const written: Shape = (fields, outline, ended) => ({
  ...changed(fields, outline, ended),
  bytes: numberOf(fields["bytes"]) ?? 0,
});

const web: Shape = (fields, { url: asked }, ended) => {
  const { text, truncated, full } = shown(fields, ended);
  const url = textOf(fields["url"]) ?? asked;
  return { text, ...(url !== null && { url }), truncated, ...full };
};

const action: Shape = (fields, outline, ended) => {
  const { text, truncated, full } = shown(fields, ended);
  const said = textOf(fields["summary"]) ?? (text === "" ? (outline.action ?? "done") : text);
  const raw = firstOf(ended.done.result);
  const cut = truncated || raw.cut;
  const { value } = raw;
  return {
    summary: preview(said, 200),
    ...(value !== null && { raw: value }),
    ...(cut && { truncated: true }),
    ...full,
  };
};

const fallback: Shape = (fields, _outline, ended) => {
  const { text, truncated, full } = shown(fields, ended);
  const { result } = ended.done;
  const printed = text === "" ? {} : { text };
  const whole = isRecord(result) ? { ...result, ...printed } : { value: result, ...printed };
  const raw = firstOf(text === "" ? result : whole, 2 * FRAME_TEXT); // beside the text, which fits
  const cut = truncated || raw.cut;
  return { raw: raw.value, ...(cut && { truncated: true, ...elsewhere(ended) }), ...full };
};

const SHAPES: Readonly<Record<string, Shape>> = {
  read: (fields, outline, ended) => {
    const area = areaOf(fields["area"]) ?? askedArea(outline);
    const { text, truncated, full } = shown(fields, ended);
    const bytes = numberOf(fields["bytes"]) ?? ended.done.output.bytes;
    return { file: fileOf(fields["file"], outline, area), area, text, bytes, truncated, ...full };
  },
  write: written,
  append: (fields, outline, ended) => written(fields, { ...outline, lines: 0 }, ended),
  edit: changed,
  exec: (fields, _outline, ended) => {
    const { ok, exit_code: code } = ended.done;
    const { text: stdout, truncated, full } = printed(ended);
    const mentionedPaths = pathsOf(fields["mentioned_paths"]);
    const processId = textOf(fields["process_id"]);
    return {
      // -1: there is none, or it still runs in the background.
      exitCode: code ?? numberOf(fields["exit_code"]) ?? (ok && processId === undefined ? 0 : -1),
      stdout,
      truncated,
      ...(mentionedPaths.length > 0 && { mentionedPaths }),
      ...(processId !== undefined && { processId }),
      ...(fields["timed_out"] === true && { error: "It took too long and was stopped." }),
      ...full,
    };
  },
  web_search: web,
  web_fetch: web,
  browser: action,
  canvas: action,
  nodes: action,
  message: action,
};

type Shown = {
  readonly text: string;
  readonly truncated: boolean;
  readonly full: { readonly full?: FullText };
};

/** The beginning of what a tool said. */
function shown(fields: HudRecord, ended: Ended): Shown {
  const { output } = ended.done;
  const { text, cut } = firstBytes(output.head);
  const truncated = cut || output.truncated || fields["truncated"] === true;
  return { text, truncated, full: cut || output.truncated ? elsewhere(ended) : {} };
}

const HALF = FRAME_TEXT / 2;

/** Beginning and end of what a command printed: what went wrong usually stands last. */
function printed(ended: Ended): Shown {
  const { output } = ended.done;
  if (!output.truncated && !firstBytes(output.head).cut) {
    return { text: output.head, truncated: false, full: {} };
  }
  const begin = firstBytes(output.head, HALF).text;
  const end = lastBytes(output.tail === "" ? output.head : output.tail, HALF);
  const missing = output.bytes - utf8Bytes(begin) - utf8Bytes(end);
  const text = `${begin}\n[… ${Math.max(missing, 0)} bytes …]\n${end}`;
  return { text, truncated: true, full: elsewhere(ended) };
}

function elsewhere({ done, event }: Ended): { full: FullText } {
  return { full: fullOf(done.output, event) };
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
