// What is expanded. Kept by the transcript, because its rows unmount while scrolling.
import { createContext, useContext, useSyncExternalStore } from "react";

export type FoldStates = ReadonlyMap<string, string | boolean | null>;
export type Folds = {
  readonly states: () => FoldStates;
  readonly set: (key: string, state: string | boolean | null) => void;
  readonly clear: (prefix: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
};

export function createFolds(): Folds {
  const listeners = new Set<() => void>();
  let states: FoldStates = new Map();
  const change = (next: FoldStates) => {
    states = next;
    for (const listener of listeners) listener();
  };
  return {
    states: () => states,
    set: (key, state) => change(new Map(states).set(key, state)),
    clear: (prefix) => change(new Map([...states].filter(([key]) => !key.startsWith(prefix)))),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const FoldsContext = createContext<Folds>(createFolds());

type Fold<State> = readonly [state: State, set: (state: State) => void];

export function useFold(key: string, otherwise: boolean): Fold<boolean>;
export function useFold<State extends string | boolean | null>(
  key: string,
  otherwise: State,
): Fold<State>;
export function useFold<State extends string | boolean | null>(
  key: string,
  otherwise: State,
): Fold<State> {
  const folds = useContext(FoldsContext);
  const state = useSyncExternalStore(folds.subscribe, () => folds.states().get(key));
  return [state === undefined ? otherwise : (state as State), (next) => folds.set(key, next)];
}

export const undoneKey = (runId: string) => `undone ${runId}`;
export const groupKey = (callId: string) => `group ${callId}`;
/** Whether untouched groups are open. */
export const ALL_GROUPS = "groups";
