// Line endings. A text area knows only \n, so text is converted and saved back; mixed endings would be lost.
// Pure.

export type LineEnds = "\n" | "\r\n";

/** Null: mixed. */
export function lineEndsOf(text: string): LineEnds | null {
  const returns = text.split("\r").length - 1;
  if (returns === 0) return "\n";
  const both = text.split("\r\n").length - 1;
  const breaks = text.split("\n").length - 1;
  return both === returns && both === breaks ? "\r\n" : null;
}

export function forField(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

export function forFile(text: string, ends: LineEnds): string {
  return ends === "\n" ? text : text.replaceAll("\n", "\r\n");
}
