// Search: messages, tool arguments and results, changed files and errors. Follows from events. A migration must be quick,
// because every process waits for it, so an existing journal is not indexed here: `search_from` says which logs (those
// below it) are not indexed yet, and search/older.ts indexes them in small steps.
export const search = `
DROP TABLE message_words;

CREATE TABLE search_rows (
  row_key INTEGER PRIMARY KEY, -- a later row has a greater one; what is looked through afterwards gets 0, -1, -2 …
  log_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  tool TEXT NOT NULL,
  created_at REAL NOT NULL,
  about TEXT NOT NULL, -- marks to filter by, see search-marks.ts
  text TEXT NOT NULL -- bounded; empty: taken back
) STRICT;
CREATE UNIQUE INDEX search_rows_event ON search_rows (log_key, seq);
CREATE VIRTUAL TABLE search_words USING fts5 (
  text, about, content = 'search_rows', content_rowid = 'row_key',
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3', columnsize = 0
);
INSERT INTO meta (key, value) SELECT 'search_from', coalesce(max(log_key), 0) + 1 FROM logs;
`;
