// The search index in SQLite: FTS5, given words that we split ourselves, so that both databases find the same. Rowids
// grow with time, so the newest matching rows come first without a scan. bm25() is not used, because it counts every row
// that has one of the words. Only the rows that are shown are checked for damage (row-copies.ts).
import type { SearchIndex } from "../../search/index.ts";
import { wordsOf, type Term } from "../../search/query.ts";

const COLUMNS = "row_key, log_key, seq, kind, role, tool, created_at, about, text";
const ADD = `INSERT INTO search_rows (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_WORDS = `INSERT INTO search_words (rowid, text, about) VALUES (last_insert_rowid(), ?, ?)`;

const EDITED = `WHERE log_key = ?1 AND seq = (SELECT seq FROM messages
  WHERE log_key = ?1 AND message_id = ?2 AND role = 'user' ORDER BY seq DESC LIMIT 1)`;
const TAKE_OUT = `DELETE FROM search_words WHERE rowid = (SELECT row_key FROM search_rows ${EDITED})`;
const CHANGE = `UPDATE search_rows SET text = ?3 ${EDITED}`;
const PUT_IN = `INSERT INTO search_words (rowid, text, about) SELECT row_key, ?3, about FROM search_rows ${EDITED}`;

const CANDIDATES = `
  SELECT r.row_key, l.session_key, r.kind, r.created_at, substr(r.text, 1, 2048) AS text
  FROM search_words w CROSS JOIN main.search_rows r CROSS JOIN main.logs l CROSS JOIN main.sessions s
  WHERE search_words MATCH ? AND w.rowid > ? AND w.rowid <= ?
    AND r.row_key = w.rowid AND l.log_key = r.log_key AND s.session_key = l.session_key
    AND l.kind = 'run' AND l.quarantined IS NULL AND (l.direct IS NULL OR r.kind <> 'message') AND s.deleted = 0
    AND (?4 IS NULL OR s.project_id = ?4) AND r.created_at >= ?5 AND r.created_at <= ?6
  ORDER BY w.rowid DESC LIMIT ?7`;

export const sqliteSearchIndex: SearchIndex = {
  add({ log_key, seq, kind, role, tool, at, marks, text }, row_key) {
    const about = marks.join(" ");
    return [
      [ADD, row_key ?? null, log_key, seq, kind, role, tool, at, about, text],
      [ADD_WORDS, indexedText(text), about],
    ];
  },
  edit({ log_key, messageId, text }) {
    return [
      [TAKE_OUT, log_key, messageId],
      [CHANGE, log_key, messageId, text],
      [PUT_IN, log_key, messageId, indexedText(text)],
    ];
  },
  forget: [
    ["INSERT INTO search_words (search_words) VALUES ('delete-all')"],
    ["DELETE FROM search_rows"],
  ],
  // FTS5 searches for the next hit beyond any bound, so it is asked only once.
  window: Number.POSITIVE_INFINITY,
  wideWindow: Number.POSITIVE_INFINITY,
  candidates: CANDIDATES,
  given({ terms, not, marks, any }, { after, upTo }) {
    const narrowed = [
      ...marks.map(quoted),
      ...any.map((some) => `(${some.map(quoted).join(" OR ")})`),
    ].map((each) => `about : ${each}`);
    const wanted = [...terms.map((term) => `text : ${phrase(term)}`), ...narrowed].join(" AND ");
    const unwanted = not.map((term) => ` NOT text : ${phrase(term)}`).join("");
    return [`(${wanted})${unwanted}`, after, upTo];
  },
};

function indexedText(text: string): string {
  return wordsOf(text).join(" ");
}

/** Quoted, so that no part of it is an operator. */
function phrase({ words, prefix }: Term): string {
  return `${quoted(words.join(" "))}${prefix ? "*" : ""}`;
}

function quoted(words: string): string {
  return `"${words}"`;
}
