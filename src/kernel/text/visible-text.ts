// Makes hidden characters visible in commands, paths, titles and approvals: characters that a person cannot see, or that
// reorder the text, are shown as escapes.

// Everything without a glyph, except the line break and the tab.
const HIDDEN =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** The variation selector that makes an emoji coloured; harmless directly after one. */
const EMOJI_STYLE = /(?<=\p{Extended_Pictographic})\\u\{fe0f\}/gu;

export function visibleText(text: string): string {
  return text
    .replaceAll(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`)
    .replaceAll(EMOJI_STYLE, "\ufe0f");
}

/** JSON with hidden characters in its strings as JSON escapes, so that it means the same. */
export function visibleJson(value: unknown): string {
  const escape = (character: string) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join("");
  return JSON.stringify(value, null, 2).replaceAll(HIDDEN, escape);
}

/** For titles: one line. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, " ").trim());
}
