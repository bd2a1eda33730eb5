// The endpoints that tell what was used and done.
import { z } from "zod";
import { get, NO_SESSION } from "../../kernel/api/endpoint.ts";
import { integerParam } from "../../kernel/api/integer-param.ts";
import { SessionId } from "../../kernel/events/ids.ts";
import { INSIGHT_GROUPS, InsightsView } from "./records.ts";

export const MAX_DAYS = 366;
const MAX_ROWS = 500;
const InsightsQuery = z.object({
  days: integerParam(1, MAX_DAYS)
    .optional()
    .describe("The last so many days, today included, at most 366; 30 when left out."),
  from: z.string().optional().describe("The first day, `YYYY-MM-DD`."),
  to: z.string().optional().describe("The last day, `YYYY-MM-DD`."),
  by: z
    .enum(INSIGHT_GROUPS)
    .default("day")
    .describe("day, model, profile, session, workspace or tool."),
  tz: z
    .string()
    .max(100)
    .optional()
    .describe("Whose days, e.g. `Europe/Berlin`; UTC when left out."),
  session_id: SessionId.optional().describe("Only of this session."),
  limit: integerParam(1, MAX_ROWS).default(50).describe("How many, at most 500."),
});

export const insightsApi = {
  getInsights: get("/api/insights", {
    tag: "status",
    summary: "Tokens, cost, time, tools and failures of some days, and of as many days before.",
    response: InsightsView,
    query: InsightsQuery,
    errors: ["invalid_request", ...NO_SESSION],
  }),
};

export const metricsApi = {
  getMetrics: get("/metrics", {
    tag: "status",
    summary: "Counters and gauges of this server and its journal, for Prometheus.",
    response: "metrics",
  }),
};
