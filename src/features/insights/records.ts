// What was used and done in a period: tokens, cost, time, tools and failures.
import { z } from "zod";
import { SessionId } from "../../kernel/events/ids.ts";

export const INSIGHT_GROUPS = ["day", "model", "profile", "session", "workspace", "tool"] as const;
export type InsightGroup = (typeof INSIGHT_GROUPS)[number];

const Count = z.int().nonnegative();
const Milliseconds = z.number().nonnegative();

export const InsightFigures = z.object({
  model_calls: Count,
  unpriced_calls: Count.describe("of the model calls: nobody knows what they cost"),
  model_errors: Count.describe("calls that a model did not answer"),
  model_ms: Milliseconds,
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  cost_usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe("of the calls whose price is known; null: of none of them it is"),
  tool_calls: Count,
  tool_failures: Count,
  tool_ms: Milliseconds,
  runs: Count.describe("that ended, subagents included"),
  failed_runs: Count,
  cancelled_runs: Count,
  run_ms: Milliseconds.describe("from being asked to the end, waiting included"),
  events: Count.describe("of the runs that ended"),
});
export type InsightFigures = Readonly<z.infer<typeof InsightFigures>>;

export const InsightRow = z.object({
  key: z.string().describe("the day as YYYY-MM-DD, the name, or the session's id"),
  title: z.string().optional().describe("a session's"),
  deleted: z.boolean().optional().describe("a session's"),
  ...InsightFigures.shape,
});
export type InsightRow = Readonly<z.infer<typeof InsightRow>>;

export const InsightTool = z.object({
  key: z.string().describe("the tool's name"),
  calls: Count,
  failures: Count,
  denied: Count.describe("calls that a person or a rule refused"),
  ms: Milliseconds,
});
export type InsightTool = Readonly<z.infer<typeof InsightTool>>;

const Day = z.string().describe("YYYY-MM-DD, a calendar day of the time zone");

export const InsightsView = z.object({
  from: Day,
  to: Day.describe("the last day, with all of it"),
  tz: z.string(),
  by: z.enum(INSIGHT_GROUPS),
  session_id: SessionId.nullable(),
  totals: InsightFigures,
  previous: z
    .object({ from: Day, to: Day, totals: InsightFigures })
    .describe("as many days before"),
  rows: z.array(InsightRow).describe("days in order; others by tokens. None with `by=tool`"),
  tools: z.array(InsightTool).describe("with `by=tool`, by calls"),
  left_out: Count.describe("groups beyond `limit`"),
  uncounted_runs: Count.describe(
    "runs of an earlier release that are still being counted: figures may be too low",
  ),
});
export type InsightsView = Readonly<z.infer<typeof InsightsView>>;
