// A tool call in one line, by its kind.
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { isPreview, rollbackResult } from "../files/rollback-result.ts";
import { plural } from "../text/format.ts";
import { linesOfCall, sizeOf } from "./inline-diff.ts";
import { numberArgument, numberResult, placeOf, textArgument, type ToolKind } from "./tool-kind.ts";

export const TITLE: Record<ToolKind, (item: ToolItem) => string> = {
  exec: (item) => textArgument(item, "command") ?? item.label,
  process: ({ label }) => label,
  read: (item) => `Read ${placeOf(item, "L")}`,
  list_files: (item) => `List ${textArgument(item, "path") ?? "the workspace"}`,
  search_files: (item) => `Search “${textArgument(item, "pattern") ?? ""}”${inFolder(item)}`,
  write: (item) => `Write ${textArgument(item, "path") ?? item.label}`,
  edit: (item) => `Edit ${placeOf(item)}`,
  append: (item) => `Append to ${placeOf(item)}`,
  rollback: (item) => (isPreview(item) ? "Preview of a rollback" : item.label),
  compress: () => "Compress the conversation",
  web_fetch: (item) => `Fetch ${textArgument(item, "url") ?? ""}`,
  web_search: (item) => `Search the web: ${textArgument(item, "query") ?? ""}`,
  browser: ({ label }) => label,
  memory: ({ label }) => label,
  skill: ({ label }) => label,
  session_search: (item) => `Search sessions: ${textArgument(item, "words") ?? ""}`,
  mcp: ({ name }) => foreignName(name),
  delegate: (item) => textArgument(item, "title") ?? item.label,
  clarify: () => "Asked you",
  plan: (item) => PLAN[textArgument(item, "action") ?? ""]?.(item) ?? item.label,
  todo: ({ label }) => label,
  other: ({ label, name }) => label || name,
};

const PLAN: Readonly<Record<string, (item: ToolItem) => string>> = {
  step_started: (item) => `Step ${numberArgument(item, "index") ?? ""} started`,
  step_completed: (item) => `Step ${numberArgument(item, "index") ?? ""} finished`,
  step_fallback: (item) => `Step ${numberArgument(item, "index") ?? ""} tried another way`,
  replan: () => "Plan replaced",
  complete: () => "Plan completed",
  escalate: () => "Plan handed to you",
};

/** A short fact about what came of it, or nothing. */
export const NOTE: Partial<Record<ToolKind, (item: ToolItem) => string | null>> = {
  web_search: (item) => counted(item, "count", "result"),
  edit: writtenSize,
  write: writtenSize,
  append: writtenSize,
  rollback: (item) => {
    const found = rollbackResult(item);
    if (!found) return null;
    if (found.conflicts.length > 0) return plural(found.conflicts.length, "conflict");
    return plural(found.restored.length + found.removed.length, "file");
  },
};

function writtenSize(item: ToolItem): string | null {
  const lines = linesOfCall(item);
  return lines === null ? null : sizeOf(lines);
}

function counted(item: ToolItem, name: string, one: string): string | null {
  const count = numberResult(item, name);
  return count === null ? null : plural(count, one);
}

function inFolder(item: ToolItem): string {
  const path = textArgument(item, "path");
  return path === null || path === "." ? "" : ` in ${path}`;
}

/** `mcp__server__tool` as people say it. */
function foreignName(name: string): string {
  const [, server = "", ...tool] = name.split("__");
  return tool.length === 0 ? name : `${tool.join("__")} · ${server}`;
}
