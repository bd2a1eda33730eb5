// Makes text of models, tools and files safe for a terminal: none of it colours, moves the cursor, rings, reorders or
// hides. Everything that a terminal acts on (control characters, and so every escape sequence, and characters that
// change text direction) is shown as an escape, so no text is lost or hidden.
const ACTED_ON =
  /(?![\n\t])\p{Cc}|[\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** The end of a piece whose meaning depends on what follows: half a line break, half a character. */
const UNDECIDED = /[\r\uD800-\uDBFF]$/;

/** Before a prompt: whatever was left on (hidden text, colours) is off. */
export const RESET = "\u001b[0m";

/** Converts a complete text. */
export function terminalText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(ACTED_ON, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Converts a text in pieces: however it is cut, the result equals `terminalText` of the complete text. */
export function terminalFilter(): (piece: string) => string {
  let held = "";
  return (piece) => {
    const text = held + piece;
    held = UNDECIDED.exec(text)?.[0] ?? "";
    return terminalText(text.slice(0, text.length - held.length));
  };
}
