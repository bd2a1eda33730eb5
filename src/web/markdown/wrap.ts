// Whether code lines wrap: one remembered choice for the page.
import { useSyncExternalStore } from "react";
import { recall, remember } from "../storage.ts";

const KEY = "quarterdeck.wrap";
const listeners = new Set<() => void>();

export function useWrap(): readonly [wrap: boolean, toggle: () => void] {
  const wrap = useSyncExternalStore(subscribe, read);
  return [wrap, toggle];
}

function read(): boolean {
  return recall(KEY) === "yes";
}

function toggle(): void {
  remember(KEY, read() ? null : "yes");
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
