// Counts the lines of a text: a last line without a newline counts, an empty text has none.

export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return text === "" || text.endsWith("\n") ? lines : lines + 1;
}
