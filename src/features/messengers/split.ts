// Long messages in pieces a messenger takes. While a text grows its first pieces stay as they are: where one ends
// depends on nothing that comes later than the next one's beginning.
import type { Block } from "./labels.ts";
import { firstChars } from "../../kernel/text/truncate.ts";

/** What fences around code may take. */
const FENCE = 10;

export function splitBlocks(blocks: readonly Block[], limit: number): (readonly Block[])[] {
  const pieces: Block[][] = [[]];
  let room = limit;
  for (const { kind, text } of blocks) {
    let rest = text;
    while (rest !== "") {
      const own = kind === "code" ? FENCE : 2; // with the break between two blocks
      if (room - own < Math.min(rest.length, MAX_STUB)) {
        pieces.push([]);
        room = limit;
      }
      const part = head(rest, room - own);
      pieces.at(-1)?.push({ kind, text: part });
      room -= part.length + own;
      rest = rest.slice(part.length).replace(/^\n/, "");
    }
  }
  return pieces.filter((piece) => piece.length > 0);
}
/** A block does not begin with less than this at the end of a piece. */
const MAX_STUB = 200;

/** Ends at a line, else at a word, else anywhere but inside a character. */
function head(text: string, most: number): string {
  if (text.length <= most) return text;
  const window = text.slice(0, most);
  for (const mark of ["\n", " "]) {
    const at = window.lastIndexOf(mark);
    if (at >= most * 0.6) return text.slice(0, at + 1);
  }
  return firstChars(text, most);
}
