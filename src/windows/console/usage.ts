// Usage in the shapes of the console's panels "Usage" and "Insights".
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { InsightFigures, InsightRow, InsightTool } from "../../features/insights/records.ts";
import { SessionId } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { MAX_DAYS } from "../../features/insights/api.ts";
import { insightsOf, periodOf } from "../../features/insights/server/insights.ts";
import { both, ConsoleError, take } from "./envelopes.ts";
import { reportOf, sessionsSince } from "./usage-report.ts";
import { insightStore } from "../../features/insights/store/store.ts";

const Asked = z.looseObject({
  days: z
    .string()
    .regex(/^\d{1,3}$/, "a number")
    .transform(Number)
    .pipe(z.int().min(1).max(MAX_DAYS))
    .default(30),
  tz: z.string().max(100).optional(),
});
const Session = z.looseObject({ session_id: SessionId });
const TOP = 20;

export function usagePages({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/usage/insights", async ({ query }) => {
      const { days, tz } = take(Asked, query);
      const now = Date.now();
      const daily = await insightsOf(journal, { by: "day", days, tz, limit: TOP }, now);
      const { period, days: asked } = periodOf({ days, tz }, now);
      const most = { ...period, limit: TOP };
      const models = await insightStore(journal).insightGroups("model", most);
      const sessions = await insightStore(journal).insightGroups("session", most);
      const tools = await insightStore(journal).insightTools(most);
      const insights = {
        days,
        empty: daily.totals.runs === 0 && daily.totals.model_calls === 0,
        generated_at: now / 1_000,
        overview: {
          total_sessions: sessions.groups,
          ...overview(daily.totals),
        },
        previous: overview(daily.previous.totals),
        models: models.rows.map((row) => ({ model: row.key, ...usage(row) })),
        tools: toolsOf(tools.rows),
        daily: daily.rows.map((row) => ({ date: row.key, ...usage(row) })),
        top_sessions: sessions.rows.map((row) => {
          return { session_id: row.key, title: row.title, ...usage(row) };
        }),
        uncounted_runs: daily.uncounted_runs,
      };
      const began = await sessionsSince(journal, asked[0]?.start ?? 0);
      return both({ insights, report: reportOf(insights, began, tz), ...insights });
    });

    app.get("/usage/session/:sessionId", async ({ params }) => {
      const { sessionId: session_id } = params as { sessionId: string };
      const { session_id: sessionId } = take(Session, { session_id });
      const session = await journal.reads.session(sessionId);
      if (!session) throw new ConsoleError("session_not_found", `There is no ${sessionId}.`);
      const period = { from: 0, to: Number.MAX_SAFE_INTEGER, sessionId };
      const totals = await insightStore(journal).insightTotals(period);
      const models = await insightStore(journal).insightGroups("model", { ...period, limit: TOP });
      const tools = await insightStore(journal).insightTools({ ...period, limit: TOP });
      const used = {
        session_id: sessionId,
        model: session.model,
        ...usage(totals),
        ...overview(totals),
        models: models.rows.map((row) => ({ model: row.key, ...usage(row) })),
        tools: toolsOf(tools.rows),
      };
      return both({ usage: used, ...used });
    });
  };
}

/** Null where the price is not known. */
function usage(figures: InsightFigures | InsightRow) {
  const { input_tokens, output_tokens, total_tokens, cost_usd } = figures;
  return {
    input_tokens,
    output_tokens,
    total_tokens,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    cost_usd,
    cost: cost_usd,
    estimated_cost: cost_usd,
    unpriced_calls: figures.unpriced_calls,
    api_calls: figures.model_calls,
    tool_calls: figures.tool_calls,
    runs: figures.runs,
    failed_runs: figures.failed_runs,
  };
}

function overview(figures: InsightFigures) {
  return {
    total_runs: figures.runs,
    total_failed_runs: figures.failed_runs,
    total_api_calls: figures.model_calls,
    total_tool_calls: figures.tool_calls,
    total_tool_failures: figures.tool_failures,
    total_input_tokens: figures.input_tokens,
    total_output_tokens: figures.output_tokens,
    total_tokens: figures.total_tokens,
    estimated_cost: figures.cost_usd,
    unpriced_calls: figures.unpriced_calls,
    total_hours: figures.run_ms / 3_600_000,
  };
}

function toolsOf(tools: readonly InsightTool[]) {
  const all = tools.reduce((sum, { calls }) => sum + calls, 0);
  return tools.map(({ key, calls, failures, denied, ms }) => ({
    tool: key,
    count: calls,
    percentage: all === 0 ? 0 : (calls / all) * 100,
    failures,
    denied,
    duration_ms: ms,
  }));
}
