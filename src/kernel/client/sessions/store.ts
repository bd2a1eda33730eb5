// Everything that a window shows of one session, folded from its events. The session and its runs advance together or
// not at all, so a resume neither skips nor repeats.
import type { RunEvent } from "../../events/events.ts";
import { foldHash, HASH_VERSION } from "../../state/fold-hash.ts";
import {
  emptyFolded,
  foldEvents,
  fromFoldedSnapshot,
  type Folded,
  type FoldedSnapshot,
} from "../../state/folded.ts";
import type { Api } from "../api.ts";
import { CONNECTING, type ConnectionStatus, type Timing } from "../connection.ts";
import { followByStream } from "../event-feed.ts";
import type { Follow, Follower, ServerState } from "../follow.ts";
import { immediately, createListeners, type Schedule } from "../listeners.ts";
import {
  createRecording,
  type Fold,
  type Recording,
  type WritableRecording,
} from "../recording.ts";
import { REDUCER_VERSION } from "../../events/version.ts";

export type { Folded } from "../../state/folded.ts";
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
  /** The same moment through another definition. */
  readonly through: <State>(definition: Fold<State>) => State;
};

export type SessionStore = SessionSource & {
  readonly at: null;
  /** When what was shown was not what the server has. Nearly always empty. */
  readonly getDrift: () => readonly Drift[];
  readonly retryNow: () => void;
  /** Stops listening and keeps what is here, until woken. */
  readonly rest: () => void;
  readonly wake: () => void;
  readonly close: () => void;
  readonly closed: Promise<void>;
};

export type StoreOptions = {
  readonly api: Pick<Api, "events">;
  readonly random?: () => number;
  readonly schedule?: Schedule;
  readonly timing?: Partial<Timing>;
  /** Left out: a stream of its own. */
  readonly follow?: Follow;
  /** How many events of the past come in between two tellings. What happens is always told as it happens. */
  readonly emitEvery?: number;
};

export function openSession(sessionId: string, options: StoreOptions): SessionStore {
  const { schedule = immediately, follow = followByStream(options), emitEvery = 1 } = options;
  const listeners = createListeners(schedule);
  const { follower, recording, ...kept } = keepSession(sessionId, {
    notify: listeners.notify,
    emitEvery,
  });
  return {
    ...follow(sessionId, follower),
    ...kept,
    sessionId,
    subscribe: listeners.subscribe,
    recording,
    at: null,
    through: (definition) => recording.fold(definition, recording.length),
  };
}

type EmitOptions = { readonly notify: () => void; readonly emitEvery: number };

/** What is known of the session, and how events become part of it. */
function keepSession(sessionId: string, { notify, emitEvery }: EmitOptions) {
  const recording = createRecording(sessionId);
  const drifts = createDrifts();
  let emitted = 0; // session_seq of what listeners last heard of
  let fresh: WritableRecording | null = null; // read beside what is shown, to take its place
  let view = emptyView(sessionId);
  const change = (next: Partial<SessionView>) => {
    view = { ...view, ...next };
    emitted = view.session.seq;
    notify();
  };
  const reset = () => {
    fresh = null;
    recording.clear();
    change({ ...folded.empty(sessionId), caughtUp: false });
  };
  const foldRecorded = () => {
    try {
      const next = recording.fold(folded, recording.length);
      // To draw the past at every message of it costs more than to read it.
      if (view.caughtUp || next.session.seq - emitted >= emitEvery) change(next);
      else view = { ...view, ...next };
    } catch (error) {
      reset(); // an event that contradicts what came before it: all of it is asked for again
      throw error;
    }
  };
  const follower: Follower = {
    cursor: () => (fresh ?? recording).length,
    apply(events) {
      const { missing } = recording;
      try {
        take(fresh ?? recording, events);
      } finally {
        if (!fresh && recording.length !== view.session.seq) foldRecorded(); // good up to a gap
        if (missing !== recording.missing) change({}); // moments of the past can be shown
      }
    },
    begin: (snapshot) => void (!fresh && beginWith(recording, snapshot) && foldRecorded()),
    missing: () => (fresh ? 0 : recording.missing),
    renew: () => void (fresh = createRecording(sessionId)),
    reset,
    caughtUp() {
      if (fresh) {
        recording.replaceWith(fresh);
        fresh = null;
        foldRecorded(); // one change: nobody sees an empty session in between
      }
      if (!view.caughtUp) change({ caughtUp: true });
    },
    onStatus: (connection) => change({ connection }),
    agrees(state) {
      const ours = () => foldHash(recording.fold(folded, state.session_seq));
      const verdict = fresh ? "same" : drifts.compare(state, ours);
      if (verdict === "drifted") follower.renew();
      if (verdict !== "same") notify();
      return verdict !== "drifted";
    },
  };
  return { follower, recording, getState: () => view, getDrift: drifts.all };
}

/** False where something is recorded already, and for what another reducer made. */
function beginWith(recording: WritableRecording, snapshot: FoldedSnapshot): boolean {
  const state = recording.length === 0 ? fromFoldedSnapshot(snapshot) : undefined;
  if (state?.session.sessionId !== recording.sessionId) return false;
  recording.begin(folded, { seq: state.session.seq, state });
  return true;
}

function take(recording: WritableRecording, events: readonly RunEvent[]): void {
  for (const event of events) {
    if (event.session_seq > recording.length) recording.append(event);
    else recording.fill(event);
  }
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
    through: (definition) => recording.fold(definition, at),
    getState() {
      const of = recording.fold(folded, at);
      const now = store.getState();
      const caughtUp = now.caughtUp && recording.has(at);
      const isSame = shown?.of === of && shown.now.connection === now.connection;
      if (shown && isSame && shown.view.caughtUp === caughtUp) return shown.view;
      const view = { ...of, connection: now.connection, caughtUp };
      shown = { of, now, view };
      return view;
    },
  };
}

export function emptyView(sessionId: string): SessionView {
  return { ...folded.empty(sessionId), connection: CONNECTING, caughtUp: false };
}

/** Pure. Repeated events change nothing; a gap throws and leaves the state as it was. */
export const folded: Fold<Folded> = { empty: emptyFolded, apply: foldEvents };

/** For windows that have events and no connection. */
export function foldSession(view: SessionView, events: readonly RunEvent[]): SessionView {
  const next = folded.apply(view, events);
  return next === view ? view : { ...view, ...next };
}

// When a window's fold was not the server's. It should never be; if it is, it is repaired and remembered,
// and a difference that reading again does not cure is not read again and again.
export type Drift = {
  readonly at: number; // ms
  readonly sessionSeq: number;
  readonly ours: string;
  readonly theirs: string;
  readonly repaired: boolean;
};
/** `drifted`: read the session again. `changed`: something about the last drift is known now. */
type Verdict = "same" | "changed" | "drifted";

const KEPT = 20;
const AGAIN_MS = 300_000;

export function createDrifts(now: () => number = Date.now) {
  let drifts: readonly Drift[] = [];
  return {
    all: () => drifts,
    compare(theirs: ServerState, ours: () => string): Verdict {
      const { session_seq, hash, reducer, hash_version } = theirs;
      // Another version folds or hashes otherwise, and rightly so.
      if (reducer !== REDUCER_VERSION || hash_version !== HASH_VERSION) return "same";
      const mine = ours();
      const last = drifts.at(-1);
      const open = last !== undefined && !last.repaired;
      if (mine === hash) {
        if (open) drifts = drifts.with(-1, { ...last, repaired: true });
        return open ? "changed" : "same";
      }
      if (open && now() - last.at < AGAIN_MS) return "same"; // reading it again did not help
      const drift = {
        at: now(),
        sessionSeq: session_seq,
        ours: mine,
        theirs: hash,
        repaired: false,
      };
      drifts = [...drifts, drift].slice(-KEPT);
      return "drifted";
    },
  };
}
