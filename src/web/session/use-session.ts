// The open session: the shown moment, which may be in the past, for views, and the live state for actions.
import { createContext, use, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { Fold } from "../../kernel/client/recording.ts";
import type {
  SessionSource,
  SessionStore,
  SessionView,
} from "../../kernel/client/sessions/store.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { get } from "../../kernel/state/vector.ts";
import { useApp } from "../app-context.ts";

/** The session at the scrubber's position. */
export const SessionContext = createContext<SessionSource | null>(null);
/** The session now; use it for actions. */
export const LiveContext = createContext<SessionStore | null>(null);

/** True in a recording, where nothing can be done. */
export const RecordedContext = createContext(false);

/** Returns an open store immediately if the session was open recently. */
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

/** `select` must return a value that the fold owns, never a fresh object: identity decides rendering. */
export function useSession<Value>(select: (view: SessionView) => Value): Value {
  const source = useSource();
  return useSyncExternalStore(source.subscribe, () => select(source.getState()));
}

/** The session now, whatever moment is shown. */
export function useLive<Value>(select: (view: SessionView) => Value): Value {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, () => select(store.getState()));
}

/** Suspends until all events are loaded. */
export function useWhole(): SessionSource {
  const source = useSource();
  const whole = source.recording.whole();
  if (whole) use(whole);
  return source;
}

/** The shown moment through another fold, which must be a module constant. */
export function useFold<State, Value>(
  definition: Fold<State>,
  select: (state: State) => Value,
): Value {
  const source = useWhole();
  return useSyncExternalStore(source.subscribe, () => select(source.through(definition)));
}

/** True while a past moment is shown: nothing in it can be answered, stopped or changed. */
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
