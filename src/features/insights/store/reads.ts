// Sums over quarters of an hour. Each reads the slots of its period and nothing else, in the order of the primary key.
import type { InsightFigures, InsightRow } from "../records.ts";
import type { InsightPeriod, Insights } from "./insights.ts";
import type { Sql, Value } from "../../../kernel/journal/sql.ts";
import { integer, rowsOf, text, type RowOf } from "../../../kernel/journal/rows.ts";
import { INSIGHT_TOOLS, INSIGHTS } from "../../../kernel/journal/tables/insights.ts";
import { SESSIONS } from "../../../kernel/journal/tables/runs.ts";
import { pick } from "../../../kernel/journal/tables/table.ts";

const FIGURES = [
  "model_calls",
  "unpriced_calls",
  "model_errors",
  "model_ms",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cost_usd",
  "tool_calls",
  "tool_failures",
  "tool_ms",
  "runs",
  "failed_runs",
  "cancelled_runs",
  "run_ms",
  "events",
] as const;
const SUMS = FIGURES.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(", ");
const MAX = "ORDER BY total_tokens DESC, tool_calls DESC, runs DESC";
const OPEN = `SELECT status, count(*) AS runs, sum(CASE WHEN runner_id IS NULL THEN 1 ELSE 0 END) AS unclaimed
  FROM logs WHERE ended_at IS NULL AND kind = 'run' AND quarantined IS NULL GROUP BY status`;
/** One statement, one moment: a run's events are on one side of the end or on the other. */
const COUNTS = `SELECT
  (SELECT coalesce(sum(events), 0) FROM insights WHERE slot >= ?)
    + (SELECT coalesce(sum(seq), 0) FROM logs WHERE ended_at IS NULL AND kind = 'run') AS events,
  (SELECT count(*) FROM requests WHERE answer IS NULL) AS pending`;

const LEFT = rowsOf("insight_backlog", { left: integer });
const FOUND = rowsOf("insights", { found: integer });
const SUMMED = pick(INSIGHTS, ...FIGURES);
const TOTALS = rowsOf("insights", SUMMED);
const SLOT = rowsOf("insights", { ...SUMMED, slot: integer });
const GROUP = rowsOf("insights", { ...SUMMED, group_key: text });
const SESSION_GROUP = rowsOf("insights", {
  ...SUMMED,
  ...pick(SESSIONS, "session_id", "title", "deleted"),
});
const TOOL = rowsOf("insight_tools", {
  ...pick(INSIGHT_TOOLS, "calls", "failures", "denied", "ms"),
  key: text,
});
const OPEN_RUNS = rowsOf("logs", { status: text, runs: integer, unclaimed: integer });
const COUNTED = rowsOf("insights", { events: integer, pending: integer });

type Reads = Omit<Insights, "countOlderRuns">;

export function insightsReads(sql: Sql): Reads {
  return {
    async insightTotals(period) {
      const { where, given } = filterOf(period);
      const sums = `SELECT ${SUMS} FROM insights WHERE ${where}`;
      return figuresOf(await TOTALS.one(sql, sums, ...given));
    },
    async insightSlots(period) {
      const { where, given } = filterOf(period);
      const slots = `SELECT slot, ${SUMS} FROM insights WHERE ${where} GROUP BY slot ORDER BY slot`;
      const rows = await SLOT.all(sql, slots, ...given);
      return rows.map((row) => ({ slot: row.slot, ...figuresOf(row) }));
    },
    async insightGroups(by, { limit, ...period }) {
      const column = by === "session" ? "session_key" : by;
      const { where, given } = filterOf(period);
      const grouped = `SELECT ${column} AS group_key, ${SUMS} FROM insights WHERE ${where} GROUP BY ${column}`;
      const most = `${grouped} ${MAX}, ${column} LIMIT ?`;
      const rows: InsightRow[] =
        by === "session"
          ? (await SESSION_GROUP.all(sql, named(most), ...given, limit)).map(ofSession)
          : (await GROUP.all(sql, most, ...given, limit)).map((row) => ({
              key: row.group_key,
              ...figuresOf(row),
            }));
      const groups =
        rows.length < limit ? rows.length : await countOf(sql, "insights", column, period);
      return { rows, groups };
    },
    async insightTools({ limit, ...period }) {
      const { where, given } = filterOf(period);
      const tools = `SELECT tool AS key, sum(calls) AS calls, sum(failures) AS failures, sum(denied) AS denied,
          sum(ms) AS ms FROM insight_tools WHERE ${where} GROUP BY tool ORDER BY calls DESC, tool LIMIT ?`;
      const rows = (await TOOL.all(sql, tools, ...given, limit)).map((row) => ({ ...row }));
      const groups =
        rows.length < limit ? rows.length : await countOf(sql, "insight_tools", "tool", period);
      return { rows, groups };
    },
    async uncountedRuns() {
      return (await LEFT.one(sql, "SELECT count(*) AS left FROM insight_backlog")).left;
    },
    async journalFigures(from) {
      const open = await OPEN_RUNS.all(sql, OPEN);
      const counts = await COUNTED.one(sql, COUNTS, from);
      return {
        open: Object.fromEntries(open.map(({ status, runs }) => [status, runs])),
        unclaimed: open.reduce((sum, row) => sum + row.unclaimed, 0),
        ...counts,
      };
    },
  };
}

function filterOf({ from, to, sessionId }: InsightPeriod): { where: string; given: Value[] } {
  const where = "slot >= ? AND slot < ?";
  if (sessionId === undefined) return { where, given: [from, to] };
  const session = "session_key = (SELECT session_key FROM sessions WHERE session_id = ?)";
  return { where: `${where} AND ${session}`, given: [from, to, sessionId] };
}

/** The sessions' names are looked up for those that are shown. */
function named(most: string): string {
  return `SELECT g.*, s.session_id, s.title, s.deleted FROM (${most}) g
    JOIN sessions s ON s.session_key = g.group_key ${MAX}, g.group_key`;
}

async function countOf(
  sql: Sql,
  table: string,
  column: string,
  period: InsightPeriod,
): Promise<number> {
  const { where, given } = filterOf(period);
  const count = `SELECT count(DISTINCT ${column}) AS found FROM ${table} WHERE ${where}`;
  return (await FOUND.one(sql, count, ...given)).found;
}

type Sums = RowOf<typeof TOTALS>;

function figuresOf(row: Sums): InsightFigures {
  const figures = Object.fromEntries(FIGURES.map((name) => [name, row[name]])) as Sums;
  return { ...figures, cost_usd: knownCost(row) };
}

/** What nobody knows the price of is not free. */
export function knownCost(sum: Record<"model_calls" | "unpriced_calls" | "cost_usd", number>) {
  return sum.unpriced_calls > 0 && sum.unpriced_calls === sum.model_calls ? null : sum.cost_usd;
}

function ofSession({
  session_id,
  title,
  deleted,
  ...row
}: RowOf<typeof SESSION_GROUP>): InsightRow {
  return { key: session_id, title, deleted, ...figuresOf(row) };
}
