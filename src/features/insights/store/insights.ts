// Usage by period. Times are slots (projection.ts): the caller knows what a day is.
import type { InsightFigures, InsightRow, InsightTool } from "../records.ts";

export type InsightPeriod = {
  readonly from: number; // slot
  readonly to: number; // the slot after the last
  readonly sessionId?: string | undefined;
};
export type SlotFigures = InsightFigures & { readonly slot: number };
export type InsightList<Row> = {
  readonly rows: readonly Row[]; // the most of it first
  readonly groups: number; // without limit
};
/** Of the journal at one moment. */
export type JournalFigures = {
  readonly open: Readonly<Record<string, number>>; // runs that have not ended, by status
  readonly unclaimed: number; // of them no runner has
  readonly events: number; // of open runs, and of those that ended since
  readonly pending: number; // requests
};

export interface Insights {
  insightTotals(period: InsightPeriod): Promise<InsightFigures>;
  /** Those in which something happened, in order. */
  insightSlots(period: InsightPeriod): Promise<readonly SlotFigures[]>;
  insightGroups(
    by: "model" | "profile" | "workspace" | "session",
    period: InsightPeriod & { readonly limit: number },
  ): Promise<InsightList<InsightRow>>;
  insightTools(
    period: InsightPeriod & { readonly limit: number },
  ): Promise<InsightList<InsightTool>>;
  /** Runs of an earlier release that are not counted yet. */
  uncountedRuns(): Promise<number>;
  /** Counts some of them, in a moment; how many are left. Any number of processes may do it at once. */
  countOlderRuns(): Promise<number>;
  journalFigures(since: number): Promise<JournalFigures>;
}
