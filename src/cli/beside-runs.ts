// What a feature does in a process beside the runs and requests. The lists are runner-rooms.ts and server-rooms.ts.
import type { Config } from "../config.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import type { Tool } from "../kernel/run/tools/tool.ts";
import type { AppDeps } from "../kernel/server/app.ts";

/** Ends when the signal aborts, and only then. */
export type BesideRuns = (options: {
  readonly config: Config;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}) => Promise<void>;

type Runner = {
  readonly config: Config;
  readonly journal: Journal;
  readonly logError: (message: string, error: unknown) => void;
};

/** Tools that are offered only at times, asked for anew for every agent. */
export type RunnerTools = (runner: Runner) => AsyncDisposable & {
  readonly tools: () => Promise<readonly Tool[]>;
};

/** Hears of every run that the runner claims; undefined: it wants to hear of none. */
export type ClaimObserver = (runner: Runner) => Promise<
  | (AsyncDisposable & {
      /** Never rejects: a run goes on without its observer rather than not at all. */
      readonly begin: (runId: string) => Promise<void>;
    })
  | undefined
>;

/** From when a server listens until it ends. */
export type BesideServer = (deps: AppDeps) => { readonly stop: () => void };
