// How many lines a text has.
import { plural } from "../text/format.ts";

export function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export function linesOf(text: string): string {
  return plural(lineCount(text), "line");
}
