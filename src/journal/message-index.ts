// The words of conversations, for finding them again. A message is one row and its words, changed together:
// whoever edits a message never finds it by what it said before. Each database has an index of its own
// (`MessageIndex`); what a word is, and what is shown of a hit, is the same for both.
import type { MessageHit } from "../protocol/api-records.ts";
import type { Reads } from "./journal.ts";
import type { WordIndex } from "./projections.ts";
import type { Sql, Statement } from "./sql.ts";

/** Of a longer message only the beginning is found. */
export const MAX_INDEXED = 32_768;
const MAX_HITS = 50;
const MAX_WORDS = 32;
const SNIPPET = 240; // characters

export type MessageIndex = WordIndex & {
  readonly forget: readonly Statement[];
  /** Hits with their message's text, best first: takes what matches, a profile and how many. */
  readonly found: string;
  /** Session keys of the newest messages that match: takes what matches. */
  readonly hit: string;
  /** What finds all these words; the last one may be half typed. */
  matchOf(words: readonly string[]): string;
};

export function messageSearch(sql: Sql, index: MessageIndex): Pick<Reads, "searchMessages"> {
  return {
    async searchMessages({ words, profile, limit }) {
      const wanted = wordsIn(words);
      if (wanted.length === 0) return [];
      const most = Math.min(Math.max(1, Math.trunc(limit) || 1), MAX_HITS);
      const hits = await sql.all(index.found, index.matchOf(wanted), profile, most);
      return hits.map(
        ({ text, ...hit }) =>
          ({ ...hit, snippet: snippetOf(text as string, wanted) }) as MessageHit,
      );
    },
  };
}

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Of what is searched for. */
export function wordsIn(text: string): string[] {
  return (text.slice(0, 1_000).match(WORD) ?? []).slice(0, MAX_WORDS);
}

/** Of what is indexed. */
export function allWordsIn(text: string): string[] {
  return text.slice(0, MAX_INDEXED).match(WORD) ?? [];
}

/** Around the first of the words. A database's own costs a search per hit. */
function snippetOf(text: string, wanted: readonly string[]): string {
  const plain = wanted.map(folded);
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const said = folded(word);
    if (!plain.some((each) => each !== "" && said.startsWith(each))) continue;
    at = index;
    break;
  }
  const from = Math.max(0, at - SNIPPET / 3);
  const part = text.slice(from, from + SNIPPET).toWellFormed(); // never half a character
  const ends = [from > 0 ? "… " : "", from + SNIPPET < text.length ? " …" : ""];
  return `${ends[0]}${part.trim()}${ends[1]}`;
}

/** As the index sees it: without case and accents. */
export function folded(word: string): string {
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
