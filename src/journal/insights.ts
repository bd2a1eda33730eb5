// What was used and done, as it is asked for. Times are slots (project-insights.ts): whoever asks knows what a day is.
import type { InsightFigures, InsightRow, InsightTool } from "../protocol/api-records-insights.ts";

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

/** A run whose spans are wanted, and up to which event they were delivered. */
export type Traced = { readonly runId: string; readonly seq: number };

export interface Traces {
  /** From now on its spans are delivered, first of all by whoever works on it. */
  traceRun(runId: string, exporter: string, leaseMs: number): Promise<void>;
  /** Those that nobody else delivers; they stay `exporter`'s while it keeps asking. */
  takeTraces(exporter: string, leaseMs: number): Promise<readonly Traced[]>;
  /** `ended`: there is nothing more to deliver. Those that somebody else delivers by now stay as they are. */
  deliveredTraces(
    exporter: string,
    traced: readonly (Traced & { readonly ended: boolean })[],
  ): Promise<void>;
  /** It delivers no more: whoever comes next need not wait. */
  releaseTraces(exporter: string): Promise<void>;
}
