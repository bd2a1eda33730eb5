// Caches blocks of recently shown texts: parsing and sanitising is most of the cost of a row.
import { blocksOf, type Block } from "./blocks.ts";

const MAX_CHARACTERS = 200_000; // of all that is kept

export function createReadTexts(most = MAX_CHARACTERS): (text: string) => readonly Block[] {
  const known = new Map<string, readonly Block[]>(); // the one that was not asked for longest comes first
  let characters = 0;
  return (text) => {
    const found = known.get(text);
    const blocks = found ?? blocksOf(text);
    known.delete(text);
    known.set(text, blocks);
    if (!found) characters += text.length;
    for (const oldest of known.keys()) {
      if (characters <= most) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return blocks;
  };
}
