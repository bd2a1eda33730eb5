// As ../migrations/010-cron.ts.
export const cron = `
CREATE TABLE cron_jobs (
  job_id text COLLATE "C" PRIMARY KEY,
  body text NOT NULL, -- JSON of a CronJob
  anchor_at double precision NOT NULL,
  next_at double precision, -- not decided yet
  decided_to double precision, -- the newest time that is
  paused integer NOT NULL DEFAULT 0,
  removed integer NOT NULL DEFAULT 0,
  created_at double precision NOT NULL,
  updated_at double precision NOT NULL
);
CREATE INDEX cron_jobs_next ON cron_jobs (next_at) WHERE removed = 0 AND paused = 0;
CREATE TABLE cron_ticks (
  seq bigint PRIMARY KEY, -- of the house's event
  job_id text COLLATE "C" NOT NULL,
  due_at double precision NOT NULL,
  through_at double precision NOT NULL,
  times integer,
  result text NOT NULL,
  reason text NOT NULL,
  decided_at double precision NOT NULL,
  run_id text COLLATE "C",
  session_id text COLLATE "C"
);
CREATE INDEX cron_ticks_job ON cron_ticks (job_id, seq);
CREATE UNIQUE INDEX cron_ticks_once ON cron_ticks (job_id, due_at) WHERE result <> 'manual';
CREATE TABLE deliveries (
  run_id text COLLATE "C" PRIMARY KEY,
  job_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  target text NOT NULL,
  state text NOT NULL,
  reason text NOT NULL,
  changed_at double precision NOT NULL
);
CREATE INDEX deliveries_open ON deliveries (state, changed_at) WHERE state IN ('waiting', 'ready');
`;
