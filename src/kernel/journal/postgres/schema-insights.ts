// As ../migrations/009-insights.ts. Rows are updated for a quarter of an hour: free space on their pages keeps these
// updates off the indexes.
const COUNT = "bigint NOT NULL DEFAULT 0";
const SUM = "double precision NOT NULL DEFAULT 0";
const NAME = 'text COLLATE "C" NOT NULL';

export const insights = `
CREATE TABLE insights (
  slot bigint NOT NULL,
  session_key bigint NOT NULL,
  model ${NAME},
  profile ${NAME},
  workspace ${NAME},
  model_calls ${COUNT},
  unpriced_calls ${COUNT},
  model_errors ${COUNT},
  model_ms ${SUM},
  input_tokens ${COUNT},
  output_tokens ${COUNT},
  total_tokens ${COUNT},
  cost_usd ${SUM},
  tool_calls ${COUNT},
  tool_failures ${COUNT},
  tool_ms ${SUM},
  runs ${COUNT},
  failed_runs ${COUNT},
  cancelled_runs ${COUNT},
  run_ms ${SUM},
  events ${COUNT},
  PRIMARY KEY (slot, session_key, model, profile, workspace)
) WITH (fillfactor = 70);
CREATE INDEX insights_session ON insights (session_key);

CREATE TABLE insight_tools (
  slot bigint NOT NULL,
  session_key bigint NOT NULL,
  tool ${NAME},
  calls ${COUNT},
  failures ${COUNT},
  denied ${COUNT},
  ms ${SUM},
  PRIMARY KEY (slot, session_key, tool)
) WITH (fillfactor = 70);
CREATE INDEX insight_tools_session ON insight_tools (session_key);

CREATE TABLE insight_backlog (
  log_key bigint PRIMARY KEY,
  seq bigint NOT NULL,
  counted bigint NOT NULL DEFAULT 0
);
INSERT INTO insight_backlog (log_key, seq) SELECT log_key, seq FROM logs WHERE kind = 'run' AND seq > 0;

CREATE TABLE traces (
  run_id text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  exporter text NOT NULL DEFAULT '',
  lease_until double precision NOT NULL DEFAULT 0
);
`;
