// A tool call in one line, by its kind.
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { rollbackResult } from "../files/rollback-result.ts";
import { plural } from "../text/format.ts";
import { linesOfCall, sizeOf } from "./inline-diff.ts";
import { numberResult } from "../../kernel/state/tools/arguments.ts";
import { type ToolKind } from "../../kernel/state/tools/display.ts";

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
