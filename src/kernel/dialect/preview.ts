// The beginning of something, on one line: for windows that show that a thing happened, not all of it.
import { truncateLine } from "../text/truncate.ts";

const MAX = 200;

export function preview(value: unknown, most: number = MAX): string {
  return truncateLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), most);
}
