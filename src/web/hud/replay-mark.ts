// Where the past ends and the news begins: what the session held when this window opened it was replayed to
// it, and everything after happened before its eyes. A history that turns out to be another one is replayed again.
import { useEffect, useSyncExternalStore } from "react";
import type { SessionStore } from "../../kernel/client/session-store.ts";
import { useLiveStore } from "../session/use-session.ts";

type Mark = { seq: number; caughtUp: boolean };
const marks = new WeakMap<SessionStore, Mark>();

/** Called on every change of the store; cheap. */
export function noteReplay(store: SessionStore): number {
  const { caughtUp, session } = store.getState();
  const known = marks.get(store);
  if (known && known.caughtUp === caughtUp && caughtUp) return known.seq;
  const seq = caughtUp ? session.seq : Number.POSITIVE_INFINITY; // not caught up: all of it is the past
  marks.set(store, { seq, caughtUp });
  return seq;
}

/** session_seq of the newest event that is replay. */
export function useReplayMark(): number {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, () => noteReplay(store));
}

/** Keeps the mark from the moment the session is opened, whether or not anybody looks at the feed. */
export function useReplayNoted(): void {
  const store = useLiveStore();
  useEffect(() => {
    noteReplay(store);
    return store.subscribe(() => void noteReplay(store));
  }, [store]);
}
