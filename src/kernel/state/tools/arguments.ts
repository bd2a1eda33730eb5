// A call's arguments and result as far as they can be read. They come from a model or a tool: every field may be
// missing or of another type, and is then simply not shown.
import type { ToolItem } from "../run/items.ts";

export function argumentIn({ plan }: ToolItem, name: string): unknown {
  return field(plan.arguments, name);
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
