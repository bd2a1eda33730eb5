// The search index in Postgres: words with their positions, found by a GIN index. We split words ourselves, so that both
// databases find the same. GIN has no order, so each row also has the bucket of its key among its words, and short
// prefixes: every query reads only a few rows.
import type { SearchIndex } from "../../search/index.ts";
import { markOf } from "../../search/marks.ts";
import { wordsOf, type Term } from "../../search/query.ts";

const BUCKET = 2_048; // rows
const MAX_BUCKETS = 80;
const MAX_PLACES = 16_383; // the highest position that a tsvector stores
const PLACES_A_WORD = 255;
/** Marks a prefix: no word begins with it. */
const PREFIX = "\uE0C6";
const PREFIXES = 3; // letters

// Alone in the statement: the key is needed twice.
const ADD = `INSERT INTO search_rows (row_key, log_key, seq, kind, role, tool, created_at, text, words)
  SELECT k.row_key, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CAST(?9 AS tsvector) || array_to_tsvector(ARRAY[?10
    || CASE WHEN k.row_key < 0 THEN 'n' ELSE 'p' END || abs(floor(k.row_key / ${BUCKET}.0))::bigint])
  FROM (SELECT coalesce(CAST(?1 AS bigint), nextval('search_keys')) AS row_key) k
  ON CONFLICT DO NOTHING`;
const BUCKET_MARK = markOf.bucket(0).slice(0, -2);
const EDIT = `UPDATE search_rows r SET text = ?3, words = CAST(?4 AS tsvector) || array_to_tsvector(ARRAY(
    SELECT w FROM unnest(tsvector_to_array(r.words)) w WHERE left(w, 3) = ?5))
  WHERE log_key = ?1 AND seq = (SELECT seq FROM messages
    WHERE log_key = ?1 AND message_id = ?2 AND role = 'user' ORDER BY seq DESC LIMIT 1)`;
// A materialized subquery, with `+ 0` on the key: a generic plan would begin with the sessions or the keys, and
// read every row (3 s instead of 3 ms with 500,000 rows).
const CANDIDATES = `
  WITH matched AS MATERIALIZED (
    SELECT row_key, log_key, kind FROM search_rows
    WHERE words @@ CAST(?1 AS tsquery) AND row_key + 0 > ?2 AND row_key + 0 <= ?3
      AND created_at >= ?5 AND created_at <= ?6),
  newest AS MATERIALIZED (
    SELECT m.row_key, l.session_key FROM matched m
      JOIN logs l ON l.log_key = m.log_key JOIN sessions s ON s.session_key = l.session_key
    WHERE l.kind = 'run' AND l.quarantined IS NULL AND (l.direct IS NULL OR m.kind <> 'message') AND s.deleted = 0
      AND (CAST(?4 AS text) IS NULL OR s.project_id = ?4)
    ORDER BY m.row_key DESC LIMIT ?7)
  SELECT row_key, n.session_key, r.kind, r.created_at, substr(r.text, 1, 2048) AS text
  FROM newest n JOIN search_rows r USING (row_key) ORDER BY row_key DESC`;

export const postgresSearchIndex: SearchIndex = {
  add({ log_key, seq, kind, role, tool, at, marks, text }, row_key) {
    const row = [log_key, seq, kind, role, tool, at, text] as const;
    return [[ADD, row_key ?? null, ...row, vectorOf(text, marks), BUCKET_MARK]];
  },
  edit: ({ log_key, messageId, text }) => [
    [EDIT, log_key, messageId, text, vectorOf(text, []), BUCKET_MARK.slice(0, 3)],
  ],
  forget: [["DELETE FROM search_rows"]],
  window: BUCKET,
  wideWindow: 32 * BUCKET,
  candidates: CANDIDATES,
  given({ terms, not, marks, any }, { after, upTo }) {
    const oneOf = (some: readonly string[]) => `(${some.map(quoted).join(" | ")})`;
    const parts = [
      ...terms.map(phrase),
      ...not.map((term) => `!${phrase(term)}`),
      ...marks.map(quoted),
      ...any.map(oneOf),
      ...bucketsOf(after, upTo).map(oneOf),
    ];
    return [parts.join(" & "), after, upTo];
  },
};

/** In the form that ADD writes. */
export function bucketMark(row_key: number): string {
  return markOf.bucket(Math.floor(row_key / BUCKET));
}

function bucketsOf(after: number, upTo: number): readonly (readonly string[])[] {
  const [first, last] = [Math.floor((after + 1) / BUCKET), Math.floor(upTo / BUCKET)];
  if (!(last - first < MAX_BUCKETS)) return [];
  return [Array.from({ length: last - first + 1 }, (_, index) => markOf.bucket(first + index))];
}

function phrase({ words, prefix }: Term): string {
  const parts = words.map(quoted);
  const last = Array.from(words.at(-1) ?? "");
  if (!prefix) return `(${parts.join(" <-> ")})`;
  if (words.length === 1 && last.length <= PREFIXES) return quoted(PREFIX + last.join(""));
  return `(${parts.join(" <-> ")}:*)`;
}

function quoted(word: string): string {
  return `'${word}'`;
}

/** A word, its positions, and the prefixes that find it; letters and digits need no escapes. */
export function vectorOf(text: string, marks: readonly string[]): string {
  const places = new Map<string, number[]>();
  const prefixes = new Set<string>();
  for (const [index, word] of wordsOf(text).entries()) {
    const at = Math.min(index + 1, MAX_PLACES);
    const before = places.get(word);
    if (before === undefined) places.set(word, [at]);
    else if (before.length < PLACES_A_WORD) before.push(at);
    const letters = Array.from(word.slice(0, 2 * PREFIXES));
    for (let count = 1; count <= Math.min(PREFIXES, letters.length); count += 1) {
      prefixes.add(PREFIX + letters.slice(0, count).join(""));
    }
  }
  const parts = [...places].map(([word, at]) => `${quoted(word)}:${at.join(",")}`);
  return [...parts, ...[...prefixes, ...marks].map(quoted)].join(" ");
}
