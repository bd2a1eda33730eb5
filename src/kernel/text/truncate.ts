// Truncates a text, never in the middle of a character: half a character is invalid text, which some readers refuse
// completely.

/** The first characters of a text. */
export function firstChars(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}

/** A text of at most `max` characters. A longer one keeps its first `kept` characters and ends with a mark. */
export function truncate(text: string, max: number, kept: number = max - 1): string {
  return text.length <= max ? text : `${firstChars(text, kept)}…`;
}

/** The same on one line. Only the beginning of a long text is read. */
export function truncateLine(text: string, max: number): string {
  const near = text.slice(0, max * 8);
  const line = near.replaceAll(/\s+/g, " ").trim();
  return near.length === text.length ? truncate(line, max) : `${firstChars(line, max - 1)}…`;
}

/** How many bytes a text has as UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const low = text.charCodeAt(at + 1);
    const pair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;
    if (pair) at += 1; // two units, four bytes
    bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}
