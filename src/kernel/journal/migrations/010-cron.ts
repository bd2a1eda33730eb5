// Schedules, the results of due times, and the deliveries of answers. All of it follows from events of the system log.
export const cron = `
CREATE TABLE cron_jobs (
  job_id TEXT PRIMARY KEY,
  body TEXT NOT NULL, -- JSON of a CronJob
  anchor_at REAL NOT NULL,
  next_at REAL, -- not decided yet
  decided_to REAL, -- the newest time that is
  paused INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
) STRICT;
CREATE INDEX cron_jobs_next ON cron_jobs (next_at) WHERE removed = 0 AND paused = 0;
CREATE TABLE cron_ticks (
  seq INTEGER PRIMARY KEY, -- of the house's event
  job_id TEXT NOT NULL,
  due_at REAL NOT NULL,
  through_at REAL NOT NULL,
  times INTEGER,
  result TEXT NOT NULL,
  reason TEXT NOT NULL,
  decided_at REAL NOT NULL,
  run_id TEXT,
  session_id TEXT
) STRICT;
CREATE INDEX cron_ticks_job ON cron_ticks (job_id, seq);
CREATE UNIQUE INDEX cron_ticks_once ON cron_ticks (job_id, due_at) WHERE result <> 'manual';
CREATE TABLE deliveries (
  run_id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  changed_at REAL NOT NULL
) STRICT;
CREATE INDEX deliveries_open ON deliveries (state, changed_at) WHERE state IN ('waiting', 'ready');
`;
