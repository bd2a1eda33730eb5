// The index of words in Postgres: the words themselves, found by a GIN index. What a word is we decide, not one
// of Postgres's parsers, so that both databases find the same.
import { allWordsIn, folded, MAX_INDEXED, type MessageIndex } from "../message-index.ts";

const WORDS = "array_to_tsvector(string_to_array(?, ' '))";
const ADD = `INSERT INTO messages (log_key, seq, message_id, role, text, words, created_at)
  VALUES (?, ?, ?, ?, ?, ${WORDS}, ?)`;
const EDIT = `UPDATE messages SET text = ?, words = ${WORDS} WHERE message_key = (
  SELECT message_key FROM messages WHERE log_key = ? AND message_id = ? AND role = 'user'
  ORDER BY seq DESC LIMIT 1)`;
const FOUND = `
  SELECT s.session_id, l.log_id AS run_id, m.seq, s.title, m.role, m.created_at, m.text
  FROM messages m JOIN logs l ON l.log_key = m.log_key JOIN sessions s ON s.session_key = l.session_key
  WHERE m.words @@ CAST(?1 AS tsquery) AND l.profile = ?2 AND l.direct IS NULL AND l.quarantined IS NULL
    AND s.deleted = 0
  ORDER BY ts_rank(m.words, CAST(?1 AS tsquery), 1) DESC, m.message_key DESC LIMIT ?3`;
const MAX_HITS = 20_000;
const HIT = `
  SELECT l.session_key FROM messages m JOIN logs l ON l.log_key = m.log_key
  WHERE m.words @@ CAST(? AS tsquery) AND l.direct IS NULL AND l.quarantined IS NULL
  ORDER BY m.message_key DESC LIMIT ${MAX_HITS}`;
/** Bytes of UTF-8 are at most three for each: Postgres keeps words of 2 KB at most. */
const MAX_WORD = 600;

export const postgresWords: MessageIndex = {
  add({ log, seq, messageId, role, text, at }) {
    const kept = text.slice(0, MAX_INDEXED);
    return [[ADD, log.log_key, seq, messageId, role, kept, wordsOf(kept), at]];
  },
  edit({ log, messageId, text }) {
    const kept = text.slice(0, MAX_INDEXED);
    return [[EDIT, kept, wordsOf(kept), log.log_key, messageId]];
  },
  forget: [["DELETE FROM messages"]],
  found: FOUND,
  hit: HIT,
  matchOf(words) {
    const quoted = words.map((word) => `'${indexed(word)}'`).filter((word) => word !== "''");
    return quoted.length === 0 ? "" : `${quoted.join(" & ")}:*`;
  },
};

function wordsOf(text: string): string {
  return [...new Set(allWordsIn(text).map(indexed))].filter((word) => word !== "").join(" ");
}

/** Letters, digits and marks only: nothing in it can be an operator. */
function indexed(word: string): string {
  return folded(word).slice(0, MAX_WORD).toWellFormed();
}
