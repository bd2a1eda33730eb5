// Indexes words as search/query.ts splits them instead of the text: FTS5 splits words differently in most scripts, so
// words with marks (가, が, й, ή, हि) were never found. The index stores no text, so deleting a row from it needs no
// words. All of it is rebuilt in small steps, as in 008-search.ts.
export const searchWords = `
DROP TABLE search_words;
DELETE FROM search_rows;
CREATE VIRTUAL TABLE search_words USING fts5 (
  text, about, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0", prefix = '1 2 3'
);
INSERT INTO meta (key, value) SELECT 'search_from', coalesce(max(log_key), 0) + 1 FROM logs WHERE true
  ON CONFLICT (key) DO UPDATE SET value = excluded.value;
`;
