// What each event adds to what was used and done in its quarter of an hour (journal/tables/insights.ts). Adds, and so must see
// each event once: appends do, and so do `rebuild` (after it forgot) and the backlog (insights-backlog.ts).
import type { PayloadOf } from "../../../kernel/events/events.ts";
import type {
  Placed,
  ProjectedLog,
  Projections,
} from "../../../kernel/journal/project/projections.ts";
import type { Statement } from "../../../kernel/journal/sql.ts";

/** Every time zone's offset is a multiple of it. */
export const SLOT_SECONDS = 900;

const COUNT = "CAST(? AS BIGINT)";
const SUM = "CAST(? AS DOUBLE PRECISION)"; // REAL is too short in Postgres
/** A person's command is no run of an agent: its call counts, and it does not. */
const IF_AGENT = "CASE WHEN direct IS NULL THEN CAST(? AS BIGINT) ELSE 0 END";

const USED = adding({
  model_calls: "1",
  unpriced_calls: COUNT,
  model_ms: SUM,
  input_tokens: COUNT,
  output_tokens: COUNT,
  total_tokens: COUNT,
  cost_usd: SUM,
});
const MODEL_FAILED = adding({ model_errors: "1" });
const CALLED = adding({ tool_calls: "1", tool_failures: COUNT, tool_ms: SUM });
const ENDED = adding({
  runs: IF_AGENT,
  failed_runs: IF_AGENT,
  cancelled_runs: IF_AGENT,
  run_ms: `CASE WHEN direct IS NULL AND created_at > 0 THEN (${SUM} - created_at) * 1000 ELSE 0 END`,
  events: COUNT,
});
const CALLED_TOOL = `
  INSERT INTO insight_tools (slot, session_key, tool, calls, failures, denied, ms)
  VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT (slot, session_key, tool) DO UPDATE SET
    calls = insight_tools.calls + 1, failures = insight_tools.failures + excluded.failures,
    denied = insight_tools.denied + excluded.denied, ms = insight_tools.ms + excluded.ms`;

export const projectInsights: Projections = {
  "usage.updated": (log, p: PayloadOf<"usage.updated">, place) => {
    const input = Math.max(0, p.input_tokens ?? 0);
    const output = Math.max(0, p.output_tokens ?? 0);
    const total = Math.max(0, p.total_tokens ?? input + output);
    const unpriced = Number(p.cost_usd === null);
    const cost = Math.max(0, p.cost_usd ?? 0);
    return [added(USED, log, place, unpriced, p.duration_ms, input, output, total, cost)];
  },
  "turn.superseded": (log, p: PayloadOf<"turn.superseded">, place) =>
    p.reason === "model_error" ? [added(MODEL_FAILED, log, place)] : [],
  "tool.done": (log, { name, status, duration_ms: ms }: PayloadOf<"tool.done">, place) => {
    const failed = Number(status === "failed");
    const denied = Number(status === "denied");
    const tool = [slotOf(place.at), log.session_key, name, failed, denied, ms] as const;
    return [added(CALLED, log, place, failed, ms), [CALLED_TOOL, ...tool]];
  },
  done: (log, { status }: PayloadOf<"done">, place) => {
    const failed = Number(status === "failed" || status === "expired");
    const cancelled = Number(status === "cancelled");
    return [added(ENDED, log, place, 1, failed, cancelled, place.at, place.seq)];
  },
};

export function slotOf(at: number): number {
  return Math.floor(at / SLOT_SECONDS);
}

/** Who did it, with what and where, is what the run's row says. */
function added(
  sql: string,
  { log_key }: ProjectedLog,
  { at }: Placed,
  ...values: number[]
): Statement {
  return [sql, slotOf(at), ...values, log_key];
}

function adding(values: Readonly<Record<string, string>>): string {
  const columns = Object.keys(values);
  const sums = columns.map((column) => `${column} = insights.${column} + excluded.${column}`);
  return `
    INSERT INTO insights (slot, session_key, model, profile, workspace, ${columns.join(", ")})
    SELECT CAST(? AS BIGINT), session_key, model, profile, workspace, ${Object.values(values).join(", ")}
    FROM logs WHERE log_key = ?
    ON CONFLICT (slot, session_key, model, profile, workspace) DO UPDATE SET ${sums.join(", ")}`;
}
