// Terminal styles, and text that stays text: what a tool or a model printed can neither move the cursor nor hide.
import { styleText } from "node:util";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { visibleText } from "../../kernel/text/visible-text.ts";

type Format = Parameters<typeof styleText>[0];
const paint = (format: Format) => (text: string) =>
  text === "" ? "" : styleText(format, text, { validateStream: false });

export const bold = paint("bold");
export const dim = paint("dim");
export const accent = paint("cyan");
export const good = paint("green");
export const warn = paint("yellow");
export const bad = paint("red");
export const plain = (text: string) => text;

/** Wrapped to `width`, each line behind `indent`, with nothing in it that acts. */
export function block(text: string, width: number, paintWith = plain, indent = ""): string[] {
  const room = Math.max(8, width - indent.length);
  return visibleText(text)
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(line, room))
    .map((line) => `${indent}${paintWith(line)}`);
}

/** The end of what was printed: a terminal is not the place for megabytes. */
export function lastLines(text: string, most: number): { text: string; left: number } {
  const lines = text.trimEnd().split("\n");
  const left = Math.max(0, lines.length - most);
  return { text: lines.slice(left).join("\n"), left };
}
