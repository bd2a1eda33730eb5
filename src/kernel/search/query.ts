// Parses a search query: words in any order, "phrases", -not, and a last word that may be half typed. Only letters,
// digits and marks are kept, so no part of it can be a database operator.
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const PART = /(?:^|(?<=\s))(-)?"([^"]*)"?|(-)?([^\s"]+)/gu;
const MAX_QUERY = 1_000; // characters
const MAX_WORDS = 32;
/** Postgres stores words of at most 2 KB; in UTF-8 each code unit takes at most three bytes. */
const MAX_WORD = 600;

export type Term = {
  readonly words: readonly string[]; // one after the other
  readonly prefix: boolean; // the last one may be a prefix
};
export type Wanted = {
  readonly terms: readonly Term[]; // all of them
  readonly not: readonly Term[]; // none of them
};

export function wantedIn(query: string): Wanted {
  const terms: Term[] = [];
  const not: Term[] = [];
  let open = false; // whether the last word may be a prefix
  let room = MAX_WORDS;
  for (const [, notPhrase, phrase, notWord, word] of query.slice(0, MAX_QUERY).matchAll(PART)) {
    const words = wordsOf(phrase ?? word ?? "").slice(0, room);
    if (words.length === 0) continue;
    room -= words.length;
    const unwanted = notPhrase !== undefined || (notWord !== undefined && phrase === undefined);
    if (unwanted) not.push({ words, prefix: false });
    else if (phrase !== undefined) terms.push({ words, prefix: false });
    else terms.push(...words.map((each) => ({ words: [each], prefix: false })));
    open = !unwanted && phrase === undefined && /[\p{L}\p{N}\p{M}\p{Co}]$/u.test(word ?? "");
  }
  const last = terms.at(-1);
  if (last && open) terms[terms.length - 1] = { ...last, prefix: true };
  return { terms, not };
}

/** The words as they are in the index. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map(indexed).filter((word) => word !== "");
}

function indexed(word: string): string {
  const plain = folded(word);
  return plain.length > MAX_WORD ? plain.slice(0, MAX_WORD).toWellFormed() : plain;
}

// eslint-disable-next-line no-control-regex
const ASCII = /^[\x00-\x7f]*$/;

/** Without case and accents. */
export function folded(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
