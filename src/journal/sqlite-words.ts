// The index of words in SQLite: FTS5 over the messages' own rows.
import { MAX_INDEXED, type MessageIndex } from "./message-index.ts";

const ADD = `INSERT INTO messages (log_key, seq, message_id, role, text, created_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
const ADD_WORDS = "INSERT INTO message_words (rowid, text) VALUES (last_insert_rowid(), ?)";

const EDITED = `WHERE message_key = (SELECT message_key FROM messages
  WHERE log_key = ? AND message_id = ? AND role = 'user' ORDER BY seq DESC LIMIT 1)`;
const TAKE_OUT = `INSERT INTO message_words (message_words, rowid, text)
  SELECT 'delete', message_key, text FROM messages ${EDITED}`;
const CHANGE = `UPDATE messages SET text = ? ${EDITED}`;
const PUT_IN = `INSERT INTO message_words (rowid, text) SELECT message_key, text FROM messages ${EDITED}`;

const FOUND = `
  SELECT s.session_id, l.log_id AS run_id, m.seq, s.title, m.role, m.created_at, m.text
  FROM message_words JOIN messages m ON m.message_key = message_words.rowid
    JOIN logs l ON l.log_key = m.log_key JOIN sessions s ON s.session_key = l.session_key
  WHERE message_words MATCH ? AND l.profile = ? AND l.direct IS NULL AND l.quarantined IS NULL
    AND s.deleted = 0
  ORDER BY bm25(message_words), m.message_key DESC LIMIT ?`;
/** More hits than these say nothing about which session is meant. */
const MAX_HITS = 20_000;
const HIT = `
  SELECT l.session_key FROM (
    SELECT rowid AS message_key FROM message_words WHERE message_words MATCH ?
    ORDER BY rowid DESC LIMIT ${MAX_HITS})
  JOIN messages m USING (message_key) JOIN logs l USING (log_key)
  WHERE l.direct IS NULL AND l.quarantined IS NULL`;

export const sqliteWords: MessageIndex = {
  add({ log, seq, messageId, role, text, at }) {
    const kept = text.slice(0, MAX_INDEXED);
    return [
      [ADD, log.log_key, seq, messageId, role, kept, at],
      [ADD_WORDS, kept],
    ];
  },
  edit({ log, messageId, text }) {
    const which = [log.log_key, messageId] as const;
    return [
      [TAKE_OUT, ...which],
      [CHANGE, text.slice(0, MAX_INDEXED), ...which],
      [PUT_IN, ...which],
    ];
  },
  forget: [
    ["INSERT INTO message_words (message_words) VALUES ('delete-all')"],
    ["DELETE FROM messages"],
  ],
  found: FOUND,
  hit: HIT,
  /** Every word quoted, so that nothing in it is an operator. */
  matchOf: (words) => `${words.map((word) => `"${word}"`).join(" ")}*`,
};
