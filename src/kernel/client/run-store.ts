// One run, followed to its end. For windows that show a run without its session (command line,
// embedding); the same fold and the same connection as a session's.
import type { RunEvent } from "../events/events.ts";
import { applyEvent, emptyRun, type RunState } from "../state/run/run-state.ts";
import { isTerminal } from "../state/run/run-status.ts";
import { CONNECTING, type ConnectionStatus } from "./connection.ts";
import { startEventFeed } from "./event-feed.ts";
import { atOnce, createListeners } from "./listeners.ts";
import type { StoreOptions } from "./session-store.ts";

export type RunView = { readonly run: RunState; readonly connection: ConnectionStatus };

export type RunStore = {
  readonly runId: string;
  readonly getState: () => RunView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly retryNow: () => void;
  readonly close: () => void;
  /** Settles when the run has ended and all of it is here, or after close(). */
  readonly closed: Promise<void>;
};

export type RunStoreOptions = StoreOptions & {
  /** Every event exactly once and in order, also across reconnects. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
};

export function openRun(runId: string, options: RunStoreOptions): RunStore {
  const { api, random = Math.random, schedule = atOnce, onEvent } = options;
  const stop = new AbortController();
  const listeners = createListeners(schedule);
  let view: RunView = { run: emptyRun(runId), connection: CONNECTING };
  const change = (next: Partial<RunView>) => {
    view = { ...view, ...next };
    listeners.notify();
  };

  const feed = startEventFeed({
    api,
    path: `/api/runs/${encodeURIComponent(runId)}/events`,
    cursor: () => view.run.seq,
    apply: (events) => {
      const fresh = events.filter(({ seq }) => seq > view.run.seq);
      if (fresh.length === 0) return;
      change({ run: fresh.reduce(applyEvent, view.run) });
      if (onEvent) for (const event of fresh) onEvent(event);
    },
    reset: () => change({ run: emptyRun(runId) }),
    onStatus: (connection) => change({ connection }),
    isOver: () => isTerminal(view.run.status),
    random,
    signal: stop.signal,
    ...(options.timing && { timing: options.timing }),
  });

  return {
    runId,
    getState: () => view,
    subscribe: listeners.subscribe,
    retryNow: () => feed.retryNow(),
    close: () => stop.abort(),
    closed: feed.closed,
  };
}
