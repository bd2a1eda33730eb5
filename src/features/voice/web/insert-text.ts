// Inserts text at the cursor with the spaces it needs. Pure.

export type Place = { readonly start: number; readonly end: number };

export function insertWords(
  text: string,
  { start, end }: Place,
  words: string,
): { readonly text: string; readonly cursor: number } {
  const from = Math.min(start, text.length);
  const before = text.slice(0, from);
  const after = text.slice(Math.max(from, end));
  const head = before === "" || /\s$/.test(before) ? before : `${before} `;
  const tail = after === "" || /^[\s.,;:!?)]/.test(after) ? after : ` ${after}`;
  return { text: `${head}${words}${tail}`, cursor: head.length + words.length };
}
