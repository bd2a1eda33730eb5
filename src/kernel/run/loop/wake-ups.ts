// When to look for work: at once when there may be some, and now and then in any case.
import type { Journal } from "../../journal/journal.ts";

const POLL_MS = 500;
const PAUSE_MS = 5; // many runs may end at once: looking is cheap, not free

export interface WakeUps extends Disposable {
  next(signal: AbortSignal): Promise<void>;
}

export function wakeUps(journal: Journal): WakeUps {
  let woken = false;
  let resolve: () => void = () => {};
  const unwatch = journal.watch((wake) => {
    if (wake !== "all" && !wake.work) return; // a token of somebody's run
    woken = true;
    resolve();
  });
  return {
    async next(signal) {
      if (signal.aborted) return;
      const aborted = () => resolve();
      await new Promise<void>((done) => {
        const timer = setTimeout(done, woken ? PAUSE_MS : POLL_MS);
        resolve = () => {
          clearTimeout(timer);
          setTimeout(done, PAUSE_MS);
        };
        signal.addEventListener("abort", aborted, { once: true });
      });
      signal.removeEventListener("abort", aborted); // or there would be one more with every wake-up
      woken = false;
    },
    [Symbol.dispose]: unwatch,
  };
}
