// What kind of tool a call is of, and its arguments as far as they can be read. Arguments come from a
// model: every field may be missing or of another type, and is then simply not shown.
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { plural } from "../text/format.ts";
import type { IconName } from "../ui/icon.tsx";

export const TOOL_ICON = {
  exec: "terminal",
  process: "terminal",
  read: "file",
  list_files: "file",
  search_files: "search",
  write: "pencil",
  edit: "pencil",
  append: "pencil",
  rollback: "back",
  compress: "squeeze",
  web_fetch: "globe",
  web_search: "globe",
  browser: "globe",
  memory: "book",
  skill: "book",
  session_search: "search",
  mcp: "plug",
  delegate: "people",
  clarify: "question",
  plan: "list",
  todo: "list",
  other: "tool",
} as const satisfies Record<string, IconName>;

export type ToolKind = keyof typeof TOOL_ICON;

export function kindOf({ name }: ToolItem): ToolKind {
  if (name.startsWith("mcp__")) return "mcp";
  if (name.startsWith("browser_")) return "browser";
  return Object.hasOwn(TOOL_ICON, name) ? (name as ToolKind) : "other";
}

export function textArgument({ plan }: ToolItem, name: string): string | null {
  const value = field(plan.arguments, name);
  return typeof value === "string" ? value : null;
}

export function numberArgument({ plan }: ToolItem, name: string): number | null {
  const value = field(plan.arguments, name);
  return typeof value === "number" ? value : null;
}

export function numberResult({ result }: ToolItem, name: string): number | null {
  const value = field(result, name);
  return typeof value === "number" ? value : null;
}

export function field(source: unknown, name: string): unknown {
  if (typeof source !== "object" || source === null || !Object.hasOwn(source, name))
    return undefined;
  return (source as Record<string, unknown>)[name];
}

/** `notes.md:10–50`: the lines as the tool found them, or else as far as the call said. */
export function placeOf(item: ToolItem, mark: "" | "L" = ""): string {
  const path = textArgument(item, "path") ?? item.label;
  const area = field(field(item.result, "file"), "area");
  const [start, end] = [field(area, "startLine"), field(area, "endLine")];
  if (typeof start === "number" && typeof end === "number")
    return linesAt(`${path}:${mark}`, start, end);
  const from = numberArgument(item, "offset");
  const limit = numberArgument(item, "limit");
  if (from === null) return path;
  return linesAt(`${path}:${mark}`, from, limit === null ? from : from + limit - 1);
}

function linesAt(before: string, start: number, end: number): string {
  return start === end ? `${before}${start}` : `${before}${start}–${end}`;
}

export function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export function linesOf(text: string): string {
  return plural(lineCount(text), "line");
}
