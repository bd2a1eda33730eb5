// The index has words as search-query.ts sees them, not the text they stand in: FTS5's own idea of a word differs from
// it in most scripts, so that whatever has marks there (가, が, й, ή, हि) was never found. The index keeps no text, so
// what is taken out of it needs no words. All of it is made anew, in small steps, as by 008-search.ts.
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
