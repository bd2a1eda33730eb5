// Tables for windows of other protocols: usage per session, and the messages of text-only devices. All of them follow
// from events, except `channel_messages`.
export const windows = `
ALTER TABLE sessions ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN title_key TEXT NOT NULL DEFAULT ''; -- without case and accents
-- An index on updated_at would cost every append; the hour rarely changes and finds the newest as fast.
ALTER TABLE sessions ADD COLUMN updated_hour INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET updated_hour = CAST(updated_at / 3600 AS INTEGER);
CREATE INDEX sessions_newest ON sessions (updated_hour) WHERE deleted = 0;
CREATE INDEX sessions_title ON sessions (title_key) WHERE deleted = 0;
CREATE INDEX sessions_source ON sessions (source) WHERE deleted = 0;
CREATE INDEX sessions_workspace ON sessions (workspace) WHERE deleted = 0;
CREATE INDEX sessions_model ON sessions (model) WHERE deleted = 0;

ALTER TABLE logs ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN attachments INTEGER NOT NULL DEFAULT 0;
CREATE INDEX logs_tools ON logs (session_key) WHERE tool_calls > 0;
CREATE INDEX requests_waiting ON requests (session_key) WHERE answer IS NULL;
CREATE INDEX messages_said ON messages (log_key) WHERE text <> '';

-- By when it was used: a run may last for days.
CREATE TABLE usage (
  created_at REAL NOT NULL,
  log_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  total_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  PRIMARY KEY (created_at, log_key, seq)
) STRICT, WITHOUT ROWID;

-- Records, like projects: which words of a device were taken, and whether it was answered.
CREATE TABLE channel_messages (
  arrival INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  run_id TEXT NOT NULL,
  after_seq INTEGER NOT NULL,
  created_at REAL NOT NULL,
  replied_at REAL,
  UNIQUE (session_id, message_id)
) STRICT;
CREATE INDEX channel_unreplied ON channel_messages (session_id) WHERE replied_at IS NULL;
`;
