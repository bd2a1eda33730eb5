// How a text ends its lines. A field of the page knows only one way, so a text is edited in that and saved in
// its own; one that mixes them cannot be edited without losing some. Pure.

export type LineEnds = "\n" | "\r\n";

/** Null: they are mixed. */
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
