// Marks which events were replayed: those the session had when this window opened it. Reset if its history is
// replaced.
import { useEffect, useSyncExternalStore } from "react";
import type { SessionStore } from "../../kernel/client/sessions/store.ts";
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

/** The session_seq of the newest replayed event. */
export function useReplayMark(): number {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, () => noteReplay(store));
}

/** Records the mark when the session is opened, even if the feed is hidden. */
export function useReplayNoted(): void {
  const store = useLiveStore();
  useEffect(() => {
    noteReplay(store);
    return store.subscribe(() => void noteReplay(store));
  }, [store]);
}
