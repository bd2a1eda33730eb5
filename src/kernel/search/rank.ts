// Ranks hits and makes their snippets. BM25 over the newest hits, halved with age; every hit has every word, so the
// rarity of words does not count. The same for every database.
import { folded, type Term } from "./query.ts";

export type Candidate = {
  readonly row_key: number;
  readonly session_key: number;
  readonly kind: string;
  readonly created_at: number;
  readonly text: string; // its beginning
};

const SATURATION = 1.2; // k1: how quickly repetitions of a word stop counting
const BY_LENGTH = 0.75; // b
const USUAL_LENGTH = 600; // characters
const WHOLE_WORD = 1; // a whole word counts more than a prefix
const HALF_LIFE = 30 * 86_400; // seconds
const MIN_WORTH = 0.35; // the factor of an old hit
const KIND_WORTH: Readonly<Record<string, number>> = {
  message: 1.2,
  error: 1.1,
  file: 1,
  tool: 0.9,
};

/** Best first. `now` is the newest hit's time, so that the same hits always have the same order. */
export function ranked(candidates: readonly Candidate[], terms: readonly Term[]): Candidate[] {
  const now = candidates.reduce((latest, { created_at }) => Math.max(latest, created_at), 0);
  const worth = new Map(candidates.map((each) => [each, worthOf(each, terms, now)]));
  return candidates.toSorted(
    (a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0) || b.row_key - a.row_key,
  );
}

function worthOf({ text, kind, created_at }: Candidate, terms: readonly Term[], now: number) {
  const plain = folded(text);
  const norm = SATURATION * (1 - BY_LENGTH + (BY_LENGTH * plain.length) / USUAL_LENGTH);
  let sum = 0.1; // a word may come after the part that is searched
  for (const term of terms) {
    const { whole, begun } = timesIn(plain, term);
    const times = whole * (1 + WHOLE_WORD) + begun;
    sum += (times * (SATURATION + 1)) / (times + norm);
  }
  const age = Math.max(0, now - created_at);
  return sum * (KIND_WORTH[kind] ?? 1) * (MIN_WORTH + (1 - MIN_WORTH) * 2 ** (-age / HALF_LIFE));
}

const MAX_TIMES = 20;
const LETTER = /[\p{L}\p{N}\p{M}\p{Co}]/u;

function timesIn(plain: string, { words, prefix }: Term) {
  const word = words[0] ?? "";
  let [whole, begun] = [0, 0];
  for (let at = plain.indexOf(word); at >= 0; at = plain.indexOf(word, at + word.length)) {
    if (at > 0 && LETTER.test(plain[at - 1] ?? "")) continue;
    if (!LETTER.test(plain[at + word.length] ?? "")) whole += 1;
    else if (prefix) begun += 1;
    if (whole + begun >= MAX_TIMES) break;
  }
  return { whole, begun };
}

const SNIPPET = 240; // characters
const BEFORE = 80;
const MAX_MARKS = 24;
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

export type Snippet = { readonly snippet: string; readonly marks: [number, number][] };

/** The text around the first place with most of the words; every searched word is marked. */
export function snippetOf(text: string, terms: readonly Term[]): Snippet {
  const found = placesIn(text, terms);
  const start = bestPlace(found);
  const from = wholeFrom(text, Math.max(0, start - BEFORE));
  const to = wholeTo(text, Math.min(text.length, from + SNIPPET));
  const [before, after] = [from > 0 ? "… " : "", to < text.length ? " …" : ""];
  const part = text.slice(from, to).toWellFormed();
  const lead = before.length - (part.length - part.trimStart().length);
  const kept = part.trim();
  const marks = found
    .map(({ at, end }): [number, number] => [at - from + lead, end - from + lead])
    .filter(([at, end]) => at >= before.length && end <= before.length + kept.length)
    .slice(0, MAX_MARKS);
  return { snippet: `${before}${kept}${after}`, marks };
}

type Place = { readonly at: number; readonly end: number; readonly term: number };

function placesIn(text: string, terms: readonly Term[]): Place[] {
  const found: Place[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const said = folded(word);
    const term = terms.findIndex(({ words, prefix }) =>
      words.some((each, at) =>
        prefix && at === words.length - 1 ? said.startsWith(each) : said === each,
      ),
    );
    if (term >= 0) found.push({ at: index, end: index + word.length, term });
  }
  return found;
}

function bestPlace(found: readonly Place[]): number {
  let best = { at: found[0]?.at ?? 0, terms: 0 };
  for (const [index, { at }] of found.entries()) {
    const here = new Set<number>();
    for (let next = index; next < found.length; next += 1) {
      const place = found[next];
      if (!place || place.at > at + SNIPPET - BEFORE) break;
      here.add(place.term);
    }
    if (here.size > best.terms) best = { at, terms: here.size };
    if (index > 200) break;
  }
  return best.at;
}

/** Never cuts inside a character. */
function wholeFrom(text: string, at: number): number {
  return isLow(text, at) ? at + 1 : at;
}
function wholeTo(text: string, at: number): number {
  return isLow(text, at) ? at - 1 : at;
}
function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}
