// The changed lines of an edit, from its arguments, without common beginnings and ends. Pure.
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { textArgument } from "../../kernel/state/tools/arguments.ts";
import { toolKind } from "../../kernel/state/tools/display.ts";

export type ChangedLine = { readonly kind: "added" | "removed"; readonly text: string };

export function changedLines(before: string, after: string): ChangedLine[] {
  const [old, fresh] = [linesIn(before), linesIn(after)];
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...old.slice(start, old.length - end).map((text) => ({ kind: "removed" as const, text })),
    ...fresh.slice(start, fresh.length - end).map((text) => ({ kind: "added" as const, text })),
  ];
}

/** Null: the arguments do not say, or nothing visible changes. */
export function linesOfCall(item: ToolItem): ChangedLine[] | null {
  const kind = toolKind(item.name);
  const content = textArgument(item, "content");
  if (kind === "edit") {
    const [before, after] = [textArgument(item, "old_text"), textArgument(item, "new_text")];
    return before === null || after === null ? null : changedLines(before, after);
  }
  if (content === null) return null;
  const isNew = item.changes.length === 1 && item.changes[0]?.before === null;
  return kind === "append" || (kind === "write" && isNew) ? changedLines("", content) : null;
}

/** "+3 −1" */
export function sizeOf(lines: readonly ChangedLine[]): string {
  const added = lines.filter(({ kind }) => kind === "added").length;
  return `+${added} −${lines.length - added}`;
}

function linesIn(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
