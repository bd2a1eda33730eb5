// Tables of the agent: rules, projects, usage, file changes, and the text of conversations for search. All of them
// follow from events, except projects.
export const agent = `
ALTER TABLE sessions ADD COLUMN project_id TEXT;
ALTER TABLE sessions ADD COLUMN yolo INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN title_source TEXT NOT NULL DEFAULT 'prompt';
ALTER TABLE sessions ADD COLUMN permissions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sessions ADD COLUMN branched_from TEXT; -- {session_id, run_id, seq}
CREATE INDEX sessions_project ON sessions (project_id) WHERE project_id IS NOT NULL;

ALTER TABLE logs ADD COLUMN profile TEXT NOT NULL DEFAULT '';
ALTER TABLE logs ADD COLUMN message_id TEXT NOT NULL DEFAULT '';
ALTER TABLE logs ADD COLUMN position REAL; -- in the queue; null: where it was made
ALTER TABLE logs ADD COLUMN direct TEXT; -- the tool of a run that asks no model
ALTER TABLE logs ADD COLUMN rewound_at INTEGER; -- session_seq of the event that left it out
ALTER TABLE logs ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN tool_calls INTEGER NOT NULL DEFAULT 0;
CREATE INDEX logs_parent ON logs (parent_run_id) WHERE parent_run_id IS NOT NULL;

ALTER TABLE requests ADD COLUMN always TEXT; -- the rule that the choice "always" makes

-- Every "always" of a profile.
CREATE TABLE grants (
  request_id TEXT PRIMARY KEY,
  profile TEXT NOT NULL,
  rule TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_profile ON grants (profile);

CREATE TABLE projects (
  project_id TEXT PRIMARY KEY,
  body TEXT NOT NULL, -- everything of the record but its id and times
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
  log_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  session_key INTEGER NOT NULL,
  session_seq INTEGER NOT NULL,
  body TEXT NOT NULL, -- the payload of files.changed
  PRIMARY KEY (log_key, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_session ON changes (session_key, session_seq);

-- What people and models said, and the words in it.
CREATE TABLE messages (
  message_key INTEGER PRIMARY KEY,
  log_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  role TEXT NOT NULL,
  text TEXT NOT NULL, -- empty: taken back
  created_at REAL NOT NULL
) STRICT;
CREATE INDEX messages_log ON messages (log_key, message_id);
CREATE VIRTUAL TABLE message_words USING fts5 (
  text, content = 'messages', content_rowid = 'message_key',
  tokenize = "unicode61 remove_diacritics 2"
);
`;
