// Everything a window shows of one session, folded from its single event stream: the session and each
// of its runs. Runs and session advance together or not at all, so a resume can neither skip nor repeat.
import type { RunEvent } from "../protocol/events.ts";
import { applyEvent, emptyRun, type RunState } from "../protocol/run-state.ts";
import { applySessionEvent, emptySession, type SessionState } from "../protocol/session-state.ts";
import type { Api } from "./api.ts";
import type { ConnectionStatus, Timing } from "./connection.ts";
import { startFeed } from "./event-feed.ts";
import { atOnce, createListeners, type Schedule } from "./listeners.ts";

export type SessionView = {
  readonly session: SessionState;
  readonly runs: Readonly<Record<string, RunState>>;
  readonly connection: ConnectionStatus;
  /** True once everything the server had when we connected is folded: what follows is news. */
  readonly caughtUp: boolean;
};

export type SessionStore = {
  readonly sessionId: string;
  readonly getState: () => SessionView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly retryNow: () => void;
  readonly close: () => void;
  readonly closed: Promise<void>;
};

export type StoreOptions = {
  readonly api: Pick<Api, "events">;
  readonly random?: () => number;
  readonly schedule?: Schedule;
  readonly timing?: Partial<Timing>;
};

export function openSession(sessionId: string, options: StoreOptions): SessionStore {
  const { api, random = Math.random, schedule = atOnce } = options;
  const stop = new AbortController();
  const listeners = createListeners(schedule);
  let view = emptyView(sessionId);
  const change = (next: SessionView) => {
    if (next === view) return;
    view = next;
    listeners.notify();
  };

  const feed = startFeed({
    api,
    path: `/api/sessions/${encodeURIComponent(sessionId)}/events`,
    cursor: () => view.session.seq,
    apply: (events) => change(foldSession(view, events)),
    reset: () => change({ ...emptyView(sessionId), connection: view.connection }),
    onHead: (head) => {
      if (view.session.seq >= head && !view.caughtUp) change({ ...view, caughtUp: true });
    },
    onStatus: (connection) => change({ ...view, connection }),
    isOver: () => false,
    random,
    signal: stop.signal,
    ...(options.timing && { timing: options.timing }),
  });

  return {
    sessionId,
    getState: () => view,
    subscribe: listeners.subscribe,
    retryNow: () => feed.retryNow(),
    close: () => stop.abort(),
    closed: feed.closed,
  };
}

export function emptyView(sessionId: string): SessionView {
  return {
    session: emptySession(sessionId),
    runs: {},
    connection: { state: "connecting", failure: null, lastFrameAt: null },
    caughtUp: false,
  };
}

/** Pure. Repeated events change nothing; a gap throws and leaves `view` as it was. */
export function foldSession(view: SessionView, events: readonly RunEvent[]): SessionView {
  let { session } = view;
  let runs: Record<string, RunState> | undefined; // copied once per batch, not once per event
  for (const event of events) {
    if (event.session_seq <= session.seq) continue;
    session = applySessionEvent(session, event);
    if (event.run_id === event.session_id) continue; // the session's own log is no run
    runs ??= { ...view.runs };
    runs[event.run_id] = applyEvent(runs[event.run_id] ?? emptyRun(event.run_id), event);
  }
  return session === view.session ? view : { ...view, session, runs: runs ?? view.runs };
}
