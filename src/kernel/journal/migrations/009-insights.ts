// Usage by quarters of an hour, because the days of every time zone begin with one. A row belongs to one session, so that
// only a process with that session's lock waits for it. Follows from events, except `traces`.
export const insights = `
CREATE TABLE insights (
  slot INTEGER NOT NULL, -- unix seconds / 900
  session_key INTEGER NOT NULL,
  model TEXT NOT NULL,
  profile TEXT NOT NULL,
  workspace TEXT NOT NULL,
  model_calls INTEGER NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0, -- nobody knows what they cost
  model_errors INTEGER NOT NULL DEFAULT 0,
  model_ms REAL NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  total_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL NOT NULL DEFAULT 0, -- of the calls with a price
  tool_calls INTEGER NOT NULL DEFAULT 0,
  tool_failures INTEGER NOT NULL DEFAULT 0,
  tool_ms REAL NOT NULL DEFAULT 0,
  runs INTEGER NOT NULL DEFAULT 0, -- that ended
  failed_runs INTEGER NOT NULL DEFAULT 0,
  cancelled_runs INTEGER NOT NULL DEFAULT 0,
  run_ms REAL NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0, -- of the runs that ended
  PRIMARY KEY (slot, session_key, model, profile, workspace)
) STRICT, WITHOUT ROWID;
CREATE INDEX insights_session ON insights (session_key);

CREATE TABLE insight_tools (
  slot INTEGER NOT NULL,
  session_key INTEGER NOT NULL,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  denied INTEGER NOT NULL DEFAULT 0,
  ms REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (slot, session_key, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX insight_tools_session ON insight_tools (session_key);

-- Runs of an earlier release whose events up to \`seq\` are not counted yet: that is done beside other work, not here.
CREATE TABLE insight_backlog (
  log_key INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  counted INTEGER NOT NULL DEFAULT 0 -- up to which seq
) STRICT;
INSERT INTO insight_backlog (log_key, seq) SELECT log_key, seq FROM logs WHERE kind = 'run' AND seq > 0;

-- Records, like projects: runs whose spans a collector wants, and up to which event it has them.
CREATE TABLE traces (
  run_id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL DEFAULT 0,
  exporter TEXT NOT NULL DEFAULT '',
  lease_until REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
`;
