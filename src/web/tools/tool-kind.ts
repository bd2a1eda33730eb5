// What a tool call is about, in the words of people. Arguments come from a model: every field may be
// missing or of another type, and is then simply not shown.
import type { ToolItem } from "../../protocol/run-items.ts";
import { plural } from "../text/format.ts";
import type { IconName } from "../ui/icon.tsx";

export type ToolKind =
  | "exec"
  | "read"
  | "write"
  | "delegate"
  | "clarify"
  | "plan"
  | "todo"
  | "other";

export const TOOL_ICON: Record<ToolKind, IconName> = {
  exec: "terminal",
  read: "file",
  write: "pencil",
  delegate: "people",
  clarify: "question",
  plan: "list",
  todo: "list",
  other: "tool",
};

export function kindOf({ name }: ToolItem): ToolKind {
  return Object.hasOwn(TOOL_ICON, name) ? (name as ToolKind) : "other";
}

export function textArgument({ plan }: ToolItem, name: string): string | null {
  const value = argument(plan.arguments, name);
  return typeof value === "string" ? value : null;
}

export function numberArgument({ plan }: ToolItem, name: string): number | null {
  const value = argument(plan.arguments, name);
  return typeof value === "number" ? value : null;
}

function argument(source: unknown, name: string): unknown {
  if (typeof source !== "object" || source === null || !Object.hasOwn(source, name))
    return undefined;
  return (source as Record<string, unknown>)[name];
}

/** `notes.md:10–50`, as far as the call said. */
export function placeOf(item: ToolItem): string {
  const path = textArgument(item, "path") ?? item.label;
  const from = numberArgument(item, "offset");
  const limit = numberArgument(item, "limit");
  if (from === null) return path;
  return limit === null ? `${path}:${from}` : `${path}:${from}–${from + limit - 1}`;
}

export function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export function linesOf(text: string): string {
  return plural(lineCount(text), "line");
}
