// What a row of the HUD says, from the frames alone: the table of the document.
import type { FileArea, HudRecord } from "../wire/events.ts";
import { firstChars } from "../../../kernel/text/truncate.ts";

export type Labelled = {
  readonly tool: string;
  readonly args: HudRecord;
  readonly result?: HudRecord | undefined;
};
const MAX = 200;

export function toolLabel(node: Labelled): string {
  const label = Object.hasOwn(LABELS, node.tool) ? LABELS[node.tool]?.(node) : undefined;
  return oneLine(label ?? plainLabel(node));
}

const LABELS: Readonly<Record<string, (node: Labelled) => string | undefined>> = {
  read: (node) => about("👁", pathOf(node), lines(areaOf(node) ?? askedArea(node))),
  write: (node) => about("✏️", pathOf(node), " (overwrite)"),
  edit: (node) => about("✏️", pathOf(node), lines(areaOf(node))),
  append: (node) => about("✏️", pathOf(node), lines(areaOf(node))),
  exec: ({ args }) => about("⚡", words(args["command"])),
  web_fetch: ({ args }) => about("🌐", words(args["url"])),
  web_search: ({ args }) => about("🔍", words(args["query"])),
};

/** For tools the table does not name: their own name, and what they were asked to do. */
function plainLabel({ tool, args }: Labelled): string {
  const what = ["action", "title", "path", "query", "pattern", "question", "name"]
    .map((name) => words(args[name]))
    .find((value) => value !== undefined);
  return what === undefined ? tool : `${tool}: ${what}`;
}

function about(icon: string, what: string | undefined, more = ""): string | undefined {
  return what === undefined ? undefined : `${icon} ${what}${more}`;
}

function words(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** As it was passed; a result names it where the arguments do not. */
function pathOf({ args, result }: Labelled): string | undefined {
  return words(args["path"]) ?? words(record(record(result)?.["file"])?.["path"]);
}

function lines(area: FileArea | undefined): string {
  const shown = area && area.startLine >= 1 && area.endLine >= area.startLine;
  return shown ? `:L${area.startLine}–L${area.endLine}` : "";
}

function areaOf({ result }: Labelled): FileArea | undefined {
  const area = record(result?.["area"]) ?? record(record(result?.["file"])?.["area"]);
  const [startLine, endLine] = [area?.["startLine"], area?.["endLine"]];
  return isLine(startLine) && isLine(endLine) ? { startLine, endLine } : undefined;
}

/** What was asked for, until a result says what there was. The last line counts as read. */
function askedArea({ args }: Labelled): FileArea | undefined {
  const { offset = 1, limit } = args as { offset?: unknown; limit?: unknown };
  if (!isLine(offset) || !isLine(limit)) return undefined;
  return { startLine: offset, endLine: offset + limit - 1 };
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function record(value: unknown): HudRecord | undefined {
  return typeof value === "object" && value !== null ? (value as HudRecord) : undefined;
}

function oneLine(text: string): string {
  const line = text.slice(0, MAX * 4).replaceAll(/\s*\n\s*/g, " ");
  if (line.length <= MAX && text.length <= MAX * 4) return line.toWellFormed();
  return `${firstChars(line, MAX - 1)}…`.toWellFormed();
}
