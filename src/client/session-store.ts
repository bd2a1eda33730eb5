// Everything a window shows of one session, folded from its single event stream: the session and each
// of its runs. Runs and session advance together or not at all, so a resume can neither skip nor repeat.
import type { RunEvent } from "../protocol/events.ts";
import { applyEvent, emptyRun, type RunState } from "../protocol/run-state.ts";
import { applySessionEvent, emptySession, type SessionState } from "../protocol/session-state.ts";
import type { Api } from "./api.ts";
import type { ConnectionStatus, Timing } from "./connection.ts";
import { startFeed } from "./event-feed.ts";
import { atOnce, createListeners, type Schedule } from "./listeners.ts";
import { createRecording, type Lens, type Recording } from "./recording.ts";

/** What a session and its runs are after some of its events. */
export type Folded = {
  readonly session: SessionState;
  readonly runs: Readonly<Record<string, RunState>>;
};
export type SessionView = Folded & {
  readonly connection: ConnectionStatus;
  /** True once everything the server had when we connected is folded: what follows is news. */
  readonly caughtUp: boolean;
};

/** What parts of a window read. The store itself is one; so is any past moment of it. */
export type SessionSource = {
  readonly sessionId: string;
  readonly getState: () => SessionView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly recording: Recording;
  /** The moment that is shown; null is now. */
  readonly at: number | null;
  /** The same moment through another lens. */
  readonly through: <State>(lens: Lens<State>) => State;
};

export type SessionStore = SessionSource & {
  readonly at: null;
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
  const recording = createRecording(sessionId);
  let view = emptyView(sessionId);
  const change = (next: Partial<SessionView>) => {
    view = { ...view, ...next };
    listeners.notify();
  };
  const reset = () => {
    recording.clear();
    change({ ...folded.empty(sessionId), caughtUp: false });
  };
  const foldRecorded = () => {
    if (recording.length === view.session.seq) return;
    try {
      change(recording.fold(folded, recording.length));
    } catch (error) {
      reset(); // an event that contradicts what came before it: all of it is asked for again
      throw error;
    }
  };

  const feed = startFeed({
    api,
    path: `/api/sessions/${encodeURIComponent(sessionId)}/events`,
    cursor: () => view.session.seq,
    apply: (events) => {
      try {
        for (const event of events) {
          if (event.session_seq > recording.length) recording.append(event);
        }
      } finally {
        foldRecorded(); // what came before a gap is good
      }
    },
    reset,
    onHead: (head) => {
      if (view.session.seq >= head && !view.caughtUp) change({ caughtUp: true });
    },
    onStatus: (connection) => change({ connection }),
    isOver: () => false,
    random,
    signal: stop.signal,
    ...(options.timing && { timing: options.timing }),
  });

  return {
    sessionId,
    getState: () => view,
    subscribe: listeners.subscribe,
    recording,
    at: null,
    through: (lens) => recording.fold(lens, recording.length),
    retryNow: () => feed.retryNow(),
    close: () => stop.abort(),
    closed: feed.closed,
  };
}

/** The session as it was after `at` events; the connection is today's. */
export function momentOf(store: SessionStore, at: number): SessionSource {
  const { sessionId, recording, subscribe } = store;
  let shown: { of: Folded; now: SessionView; view: SessionView } | undefined;
  return {
    sessionId,
    recording,
    subscribe,
    at,
    through: (lens) => recording.fold(lens, at),
    getState() {
      const of = recording.fold(folded, at);
      const now = store.getState();
      if (shown?.of === of && shown.now.connection === now.connection) return shown.view;
      const view = { ...of, connection: now.connection, caughtUp: now.caughtUp };
      shown = { of, now, view };
      return view;
    },
  };
}

export function emptyView(sessionId: string): SessionView {
  return {
    ...folded.empty(sessionId),
    connection: { state: "connecting", failure: null, lastFrameAt: null },
    caughtUp: false,
  };
}

/** Pure. Repeated events change nothing; a gap throws and leaves the state as it was. */
export const folded: Lens<Folded> = {
  empty: (sessionId) => ({ session: emptySession(sessionId), runs: {} }),
  apply: (state, events) => {
    let { session } = state;
    let runs: Record<string, RunState> | undefined; // copied once per batch, not once per event
    for (const event of events) {
      if (event.session_seq <= session.seq) continue;
      session = applySessionEvent(session, event);
      if (event.run_id === event.session_id) continue; // the session's own log is no run
      runs ??= { ...state.runs };
      runs[event.run_id] = applyEvent(runs[event.run_id] ?? emptyRun(event.run_id), event);
    }
    return session === state.session ? state : { session, runs: runs ?? state.runs };
  },
};

/** For windows that have events and no connection. */
export function foldSession(view: SessionView, events: readonly RunEvent[]): SessionView {
  const next = folded.apply(view, events);
  return next === view ? view : { ...view, ...next };
}
