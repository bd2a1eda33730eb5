// As ../migrations/008-search.ts. Buckets of row keys are words too: without them GIN would read every row of a word.
export const search = `
DROP INDEX messages_words;
ALTER TABLE messages ALTER COLUMN words SET DEFAULT ''; -- no longer used
CREATE SEQUENCE search_keys;
CREATE TABLE search_rows (
  row_key bigint PRIMARY KEY,
  log_key bigint NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL,
  role text NOT NULL,
  tool text NOT NULL,
  created_at double precision NOT NULL,
  text text NOT NULL,
  words tsvector NOT NULL, -- as ./words.ts makes it
  UNIQUE (log_key, seq)
);
CREATE INDEX search_rows_words ON search_rows USING gin (words) WITH (gin_pending_list_limit = 512);
INSERT INTO meta (key, value) SELECT 'search_from', CAST(coalesce(max(log_key), 0) + 1 AS text) FROM logs;
`;
