// When to look for work: at once when something was committed, and now and then in any case.
import type { Journal } from "../journal/journal.ts";

const POLL_MS = 500;
const PAUSE_MS = 5; // a run that streams tokens wakes us with each: looking is cheap, not free

export interface WakeUps extends Disposable {
  next(signal: AbortSignal): Promise<void>;
}

export function wakeUps(journal: Journal): WakeUps {
  let woken = false;
  let resolve: () => void = () => {};
  const unwatch = journal.watch(() => {
    woken = true;
    resolve();
  });
  return {
    async next(signal) {
      if (signal.aborted) return;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, woken ? PAUSE_MS : POLL_MS);
        resolve = () => {
          clearTimeout(timer);
          setTimeout(done, PAUSE_MS);
        };
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      woken = false;
    },
    [Symbol.dispose]: unwatch,
  };
}
