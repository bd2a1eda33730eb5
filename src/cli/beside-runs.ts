// What a feature does in a runner's process beside the runs. The list is runner-rooms.ts.
import type { Config } from "../config.ts";
import type { Journal } from "../kernel/journal/journal.ts";

/** Ends when the signal aborts, and only then. */
export type BesideRuns = (options: {
  readonly config: Config;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}) => Promise<void>;
