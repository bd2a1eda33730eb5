// What was used and done.
import type { InsightGroup, InsightsView } from "./records.ts";
import type { Calls } from "../../kernel/client/api.ts";

/** `days`, or from one day to another. */
export type InsightPeriod =
  | { readonly days: number }
  | { readonly from: string; readonly to: string };

export function insightCalls({ get }: Calls) {
  return {
    insights: (by: InsightGroup, period: InsightPeriod, signal?: AbortSignal) => {
      const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const query = new URLSearchParams({ by, tz });
      for (const [name, value] of Object.entries(period)) query.set(name, String(value));
      return get<InsightsView>(`/api/insights?${query.toString()}`, signal);
    },
  };
}
