// The routes that tell what was used and done.
import { get, NO_SESSION, type ApiRoute } from "../../kernel/api/api-route.ts";

export const INSIGHT_ROUTES: readonly ApiRoute[] = [
  get("/api/insights", {
    id: "getInsights",
    tag: "status",
    summary: "Tokens, cost, time, tools and failures of some days, and of as many days before.",
    answer: { data: "InsightsView" },
    query: ["days", "from", "to", "by", "tz", "session_id", "limit"],
    errors: ["invalid_request", ...NO_SESSION],
  }),
  get("/metrics", {
    id: "getMetrics",
    tag: "status",
    summary: "Counters and gauges of this server and its journal, for Prometheus.",
    answer: "metrics",
  }),
];
