// The model that this browser uses for new sessions, if one was chosen.
import { useSyncExternalStore } from "react";
import { recall, remember } from "../storage.ts";

const KEY = "quarterdeck.model";
const listeners = new Set<() => void>();

export function useChosenModel(): string | null {
  return useSyncExternalStore(subscribe, chosenModel);
}

export function chosenModel(): string | null {
  return recall(KEY);
}

export function chooseModel(name: string | null): void {
  remember(KEY, name);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener); // another window of this browser
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}
