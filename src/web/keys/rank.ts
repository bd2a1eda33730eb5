// Fuzzy ranking. Every word of the query must match; prefixes score higher than substrings, subsequences score
// lowest.

/** Higher is better; null: no match. */
export function rank(text: string, query: string): number | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const inside = text.toLowerCase();
  let total = 0;
  for (const word of words) {
    const score = scoreOf(inside, word);
    if (score === null) return null;
    total += score;
  }
  return total - inside.length / 1_000; // of two equals the shorter
}

function scoreOf(text: string, word: string): number | null {
  const at = text.indexOf(word);
  if (at === 0) return 4;
  if (at > 0) return /[\s/._-]/.test(text[at - 1] ?? "") ? 3 : 2;
  return inOrder(text, word) ? 1 : null;
}

function inOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

export function ranked<Entry>(
  entries: readonly Entry[],
  query: string,
  textOf: (entry: Entry) => string,
): readonly Entry[] {
  if (query.trim() === "") return entries;
  return entries
    .map((entry) => ({ entry, score: rank(textOf(entry), query) }))
    .filter(({ score }) => score !== null)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ entry }) => entry);
}
