// Results per tool, in the shapes of the HUD document. Every shape is whole whatever became of
// the call: a client may read `result.area.startLine` of a call that was denied.
import type { PayloadOf } from "../../../kernel/events/events.ts";
import type { FileArea, FileMeta, FullText, HudRecord } from "./events.ts";
import { fullOf, isRecord, numberOf, textOf, type CallOutline } from "./args.ts";
import type { AnyEvent } from "./ids.ts";
import { utf8Bytes } from "../../../kernel/text/truncate.ts";
import { firstBytes, firstOf, FRAME_TEXT, lastBytes, preview } from "./text.ts";
import { own } from "../../../kernel/events/own.ts";

type Done = PayloadOf<"tool.done">;
type Ended = { readonly done: Done; readonly event: AnyEvent };
type Result = HudRecord & { readonly ok: boolean };
type Shape = (fields: HudRecord, outline: CallOutline, ended: Ended) => HudRecord;

export function hudResult(tool: string, outline: CallOutline, ended: Ended): Result {
  const { done } = ended;
  const fields = isRecord(done.result) ? done.result : {};
  const shape = own(SHAPES, tool);
  const found = shape ?? (ACTIONS.test(tool) ? action : fallback);
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

/** The document's families of tools that do one thing or another, and ours that are like them. */
const ACTIONS = /^(sessions_|browser_|session_search$)/;

const action: Shape = (fields, outline, ended) => {
  const { text } = shown(fields, ended);
  const said = textOf(fields["summary"]) ?? (text === "" ? (outline.action ?? "done") : text);
  const { raw, ...rest } = fallback(fields, outline, ended);
  return { summary: preview(said, 200), ...(raw !== null && { raw }), ...rest };
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
  exec: (fields, { mentioned }, ended) => {
    const { ok, exit_code: code } = ended.done;
    const { text: stdout, truncated, full } = printed(ended);
    const found = pathsOf(fields["mentioned_paths"]); // that are files, seen from where it ran
    const named = mentioned.map((each) => found.find(({ path }) => path === each.path) ?? each);
    const mentionedPaths = [...new Set([...named, ...found])];
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
