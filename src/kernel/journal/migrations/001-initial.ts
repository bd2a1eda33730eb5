// The first schema. A log is what events append to: one per run, and one per session for what
// happens outside any run. `logs` holds the head of each, so an append touches one row of it.
export const initial = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  session_key INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL DEFAULT '',
  workspace TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  profile TEXT NOT NULL DEFAULT '',
  parent_session_id TEXT,
  goal_text TEXT,
  goal_status TEXT,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
) STRICT;

CREATE TABLE logs (
  log_key INTEGER PRIMARY KEY,
  log_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('run', 'session')),
  session_key INTEGER NOT NULL REFERENCES sessions,
  seq INTEGER NOT NULL DEFAULT 0,
  hash TEXT NOT NULL DEFAULT '',
  checksum INTEGER NOT NULL DEFAULT 0,
  chars INTEGER NOT NULL DEFAULT 0,
  last_at REAL NOT NULL DEFAULT 0,
  quarantined TEXT,
  fence INTEGER NOT NULL DEFAULT 0,
  runner_id TEXT,
  lease_until REAL,
  status TEXT NOT NULL DEFAULT 'queued',
  prompt TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  workspace TEXT NOT NULL DEFAULT '',
  parent_run_id TEXT,
  depth INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL DEFAULT 0,
  ended_at REAL
) STRICT;
CREATE INDEX logs_open ON logs (session_key, log_key) WHERE ended_at IS NULL AND kind = 'run';
CREATE INDEX logs_owned ON logs (runner_id) WHERE runner_id IS NOT NULL;
CREATE INDEX logs_session ON logs (session_key, log_key);

CREATE TABLE events (
  event_key INTEGER PRIMARY KEY,
  log_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  session_key INTEGER NOT NULL,
  session_seq INTEGER NOT NULL,
  checksum INTEGER NOT NULL, -- CRC-32 of the log's frames up to and with this event
  chars INTEGER NOT NULL, -- their length
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_log ON events (log_key, seq);
CREATE UNIQUE INDEX events_session ON events (session_key, session_seq);

CREATE TABLE requests (
  request_id TEXT PRIMARY KEY,
  log_key INTEGER NOT NULL,
  session_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  call_id TEXT,
  title TEXT NOT NULL,
  prompt TEXT NOT NULL,
  choices TEXT NOT NULL,
  plan_hash TEXT,
  expires_at REAL,
  created_at REAL NOT NULL,
  answer TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_pending ON requests (log_key) WHERE answer IS NULL;
CREATE INDEX requests_granted ON requests (session_key, plan_hash) WHERE answer = 'session';

CREATE TABLE commands (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL,
  created_at REAL NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
  log_key INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE processes (
  process_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  host TEXT NOT NULL,
  url TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE login_codes (hash TEXT PRIMARY KEY, expires_at REAL NOT NULL) STRICT, WITHOUT ROWID;
`;
