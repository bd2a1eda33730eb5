// What was used and done.
import type { insightsApi } from "./api.ts";
import type { InsightGroup } from "./records.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

/** `days`, or from one day to another. */
export type InsightPeriod =
  | { readonly days: number }
  | { readonly from: string; readonly to: string };

export function insightCalls(calls: Calls) {
  const call = callsOf<typeof insightsApi>(calls);
  return {
    insights: (by: InsightGroup, period: InsightPeriod, signal?: AbortSignal) => {
      const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return call("get /api/insights", { query: { by, tz, ...period } }, signal);
    },
  };
}
