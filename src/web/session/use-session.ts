// One open session for the page beneath it: as it is now, and as it is shown, which may be a moment of
// its past. What shows reads the second; what acts reads the first.
import { createContext, use, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { Fold } from "../../kernel/client/recording.ts";
import type {
  SessionSource,
  SessionStore,
  SessionView,
} from "../../kernel/client/session-store.ts";
import type { Item } from "../../kernel/state/run/run-items.ts";
import type { RunState } from "../../kernel/state/run/run-state.ts";
import { get } from "../../kernel/state/vector.ts";
import { useApp } from "../app-context.ts";

/** What is shown. */
export const SessionContext = createContext<SessionSource | null>(null);
/** What is. */
export const LiveContext = createContext<SessionStore | null>(null);

/** True where what is is a recording too: there is no now in which anything could be done. */
export const RecordedContext = createContext(false);

/** Open from the first moment if it was open a moment ago. */
export function useSessionStore(sessionId: string): SessionStore | null {
  const { stores } = useApp();
  const [store, setStore] = useState(() => stores.peek(sessionId));
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- what nobody shows nobody would give back
    setStore(stores.acquire(sessionId));
    return () => stores.release(sessionId);
  }, [stores, sessionId]);
  return store;
}

export function useSource(): SessionSource {
  const source = useContext(SessionContext);
  if (!source) throw new Error("useSession needs a SessionContext provider");
  return source;
}

export function useLiveStore(): SessionStore {
  const store = useContext(LiveContext);
  if (!store) throw new Error("useLive needs a LiveContext provider");
  return store;
}

/** `select` must return a value the fold owns, never a fresh object: identity decides rendering. */
export function useSession<Value>(select: (view: SessionView) => Value): Value {
  const source = useSource();
  return useSyncExternalStore(source.subscribe, () => select(source.getState()));
}

/** Of now, whatever moment is shown: for everything that acts. */
export function useLive<Value>(select: (view: SessionView) => Value): Value {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, () => select(store.getState()));
}

/** Waits, as for a part of the page, until all events are here. */
export function useWhole(): SessionSource {
  const source = useSource();
  const whole = source.recording.whole();
  if (whole) use(whole);
  return source;
}

/** The shown moment through another definition. The definition must be a constant of its module. */
export function useFold<State, Value>(
  definition: Fold<State>,
  select: (state: State) => Value,
): Value {
  const source = useWhole();
  return useSyncExternalStore(source.subscribe, () => select(source.through(definition)));
}

/** True while a moment of the past is shown: nothing in it can be answered, stopped or changed. */
export function useIsPast(): boolean {
  const isRecorded = useRecorded();
  return useSource().at !== null || isRecorded;
}

export function useRecorded(): boolean {
  return useContext(RecordedContext);
}

export function useRun<Value>(runId: string, select: (run: RunState) => Value): Value | undefined {
  return useSession(({ runs }) => {
    const run = runs[runId];
    return run && select(run);
  });
}

export function useItem(runId: string, index: number): Item | undefined {
  return useRun(runId, (run) => get(run.items, index));
}
