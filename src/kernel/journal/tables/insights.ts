// Usage by quarters of an hour, because the days of every time zone begin with one. A row belongs to one session, so that
// only a process with that session's lock waits for it.
import { id, integer, real, text } from "../rows.ts";
import { column, table } from "./table.ts";

const COUNT = column(integer, { default: 0 });
const SUM = column(real, { default: 0 });
/** Rows are updated for a quarter of an hour. */
const OFTEN = "fillfactor = 70";

export const INSIGHTS = table(
  "insights",
  {
    since: 9,
    kind: "list",
    key: "slot, session_key, model, profile, workspace",
    withoutRowid: true,
    postgres: OFTEN,
    indexes: { insights_session: "(session_key)" },
  },
  {
    slot: integer, // unix seconds / 900
    session_key: integer,
    model: id,
    profile: id,
    workspace: id,
    model_calls: COUNT,
    unpriced_calls: COUNT, // calls without a known price
    model_errors: COUNT,
    model_ms: SUM,
    input_tokens: COUNT,
    output_tokens: COUNT,
    total_tokens: COUNT,
    cost_usd: SUM, // of the calls with a price
    tool_calls: COUNT,
    tool_failures: COUNT,
    tool_ms: SUM,
    runs: COUNT, // that ended
    failed_runs: COUNT,
    cancelled_runs: COUNT,
    run_ms: SUM,
    events: COUNT, // of the runs that ended
  },
);

export const INSIGHT_TOOLS = table(
  "insight_tools",
  {
    since: 9,
    kind: "list",
    key: "slot, session_key, tool",
    withoutRowid: true,
    postgres: OFTEN,
    indexes: { insight_tools_session: "(session_key)" },
  },
  {
    slot: integer,
    session_key: integer,
    tool: id,
    calls: COUNT,
    failures: COUNT,
    denied: COUNT,
    ms: SUM,
  },
);

/** Runs of an earlier release whose events up to `seq` are not counted yet; this is done in the background. */
export const INSIGHT_BACKLOG = table(
  "insight_backlog",
  { since: 9, kind: "list" },
  {
    log_key: column(integer, { key: "primary" }),
    seq: integer,
    counted: COUNT, // up to which seq
  },
);

/** Runs whose spans are exported, and the last exported event. */
export const TRACES = table(
  "traces",
  { since: 9, kind: "record", withoutRowid: true },
  {
    run_id: column(id, { key: "primary" }),
    seq: COUNT,
    exporter: column(text, { default: "" }),
    lease_until: SUM,
  },
);
