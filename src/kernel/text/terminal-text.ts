// What models, tools and files say, for a terminal that would obey it: nothing of it colours, moves the cursor, rings,
// reorders or hides. Whatever a terminal acts on (control characters, so every escape sequence, and the characters
// that turn the direction of text) appears as an escape, so no text is lost and none is left out of sight.
const ACTED_ON =
  /(?![\n\t])\p{Cc}|[\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** The end of a piece that means one thing or another by what follows: half a line break, half a character. */
const UNDECIDED = /[\r\uD800-\uDBFF]$/;

/** The whole of a text. */
export function terminalText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(ACTED_ON, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** A text that comes in pieces: however it is cut, the pieces together are what `terminalText` makes of the whole. */
export function terminalFilter(): (piece: string) => string {
  let held = "";
  return (piece) => {
    const text = held + piece;
    held = UNDECIDED.exec(text)?.[0] ?? "";
    return terminalText(text.slice(0, text.length - held.length));
  };
}
