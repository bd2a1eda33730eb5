// All actions of the page: shown by the palette, explained by the help, run by one key listener. Components
// register while mounted.
import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from "react";

export type Section = "Go to" | "Run" | "View" | "Session" | "Page";
export type Action = {
  readonly id: string;
  readonly title: string;
  readonly section: Section;
  /** "mod+k", "j", "shift+/", "g i" (a sequence). `mod` is Ctrl, or ⌘ on a Mac. */
  readonly keys?: readonly string[];
  /** Why it cannot be done now; it is listed anyway. */
  readonly unavailable?: string | null;
  /** `by`: the key event; missing when chosen by name. */
  readonly run: (by?: KeyboardEvent) => void;
};

export type Actions = {
  readonly add: (action: Action) => () => void;
  readonly list: () => readonly Action[];
  readonly subscribe: (listener: () => void) => () => void;
};

export function createActions(): Actions {
  const listeners = new Set<() => void>();
  let listed: readonly Action[] = [];
  const change = (next: readonly Action[]) => {
    listed = next;
    for (const listener of listeners) listener();
  };
  return {
    list: () => listed,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add(action) {
      change([...listed, action]);
      return () => change(listed.filter((known) => known !== action));
    },
  };
}

export const ActionsContext = createContext<Actions>(createActions());

export function useActions(): readonly Action[] {
  const actions = useContext(ActionsContext);
  return useSyncExternalStore(actions.subscribe, actions.list);
}

/** Registered while mounted; `run` is always the latest. */
export function useAction({ id, title, section, keys, unavailable = null, run }: Action): void {
  const actions = useContext(ActionsContext);
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  const joined = keys?.join("\n") ?? "";
  useEffect(
    () =>
      actions.add({
        id,
        title,
        section,
        unavailable,
        ...(joined !== "" && { keys: joined.split("\n") }),
        run: (by) => latest.current(by),
      }),
    [actions, id, title, section, unavailable, joined],
  );
}
