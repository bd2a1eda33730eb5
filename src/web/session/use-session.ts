// One open session for the page beneath it: as it is now, and as it is shown, which may be a moment of
// its past. What shows reads the second; what acts reads the first.
import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from "react";
import type { Api } from "../../client/api.ts";
import type { Lens } from "../../client/recording.ts";
import {
  openSession,
  type SessionSource,
  type SessionStore,
  type SessionView,
} from "../../client/session-store.ts";
import type { Item } from "../../protocol/run-items.ts";
import type { RunState } from "../../protocol/run-state.ts";
import { get } from "../../protocol/vector.ts";
import { useResource } from "../use-resource.ts";

/** What is shown. */
export const SessionContext = createContext<SessionSource | null>(null);
/** What is. */
export const LiveContext = createContext<SessionStore | null>(null);

// On the machine itself a server is back within a second; waiting longer than this would be our doing (V5).
const TIMING = { maxMs: 1_500 };

export function useSessionStore(api: Api, sessionId: string): SessionStore | null {
  const open = useCallback(
    () => openSession(sessionId, { api, schedule: oncePerFrame, timing: TIMING }),
    [api, sessionId],
  );
  const store = useResource(open);
  useEffect(() => {
    if (!store) return;
    const hint = () => {
      if (document.visibilityState === "visible") store.retryNow();
    };
    window.addEventListener("online", hint);
    document.addEventListener("visibilitychange", hint);
    return () => {
      window.removeEventListener("online", hint);
      document.removeEventListener("visibilitychange", hint);
    };
  }, [store]);
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

/** The shown moment through another lens. The lens must be a constant of its module. */
export function useLens<State, Value>(lens: Lens<State>, select: (state: State) => Value): Value {
  const source = useSource();
  return useSyncExternalStore(source.subscribe, () => select(source.through(lens)));
}

/** True while a moment of the past is shown: nothing in it can be answered, stopped or changed. */
export function useIsPast(): boolean {
  return useSource().at !== null;
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

/** A hidden page gets no frames; a timer keeps its state from lagging for ever. */
function oncePerFrame(flush: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(flush);
  else setTimeout(flush, 250);
}
