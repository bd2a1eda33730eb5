// The current time for relative times. One shared timer per period.
import { useSyncExternalStore } from "react";

type Clock = {
  now: number;
  listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | null;
};
const clocks = new Map<number, Clock>();

function clockOf(periodMs: number): Clock {
  const known = clocks.get(periodMs);
  if (known) return known;
  const clock: Clock = { now: Date.now(), listeners: new Set(), timer: null };
  clocks.set(periodMs, clock);
  return clock;
}

function subscribe(periodMs: number, listener: () => void): () => void {
  const clock = clockOf(periodMs);
  clock.listeners.add(listener);
  if (clock.timer === null) clock.now = Date.now(); // nobody kept it while nobody looked
  clock.timer ??= setInterval(() => {
    clock.now = Date.now();
    for (const notify of clock.listeners) notify();
  }, periodMs);
  return () => {
    clock.listeners.delete(listener);
    if (clock.listeners.size > 0 || clock.timer === null) return;
    clearInterval(clock.timer);
    clock.timer = null;
  };
}

const SUBSCRIBE = new Map<number, (listener: () => void) => () => void>();

export function useNow(periodMs: number): number {
  let stable = SUBSCRIBE.get(periodMs); // a fresh function would subscribe anew at every render
  if (!stable) {
    stable = (listener) => subscribe(periodMs, listener);
    SUBSCRIBE.set(periodMs, stable);
  }
  return useSyncExternalStore(stable, () => clockOf(periodMs).now);
}
