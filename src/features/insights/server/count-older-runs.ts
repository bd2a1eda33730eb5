// Counts the runs of an earlier release in the background, for as long as there are some. Half of the time it rests:
// what people wait for goes first.
import { setTimeout as delay } from "node:timers/promises";
import type { Insights } from "../store/insights.ts";

const SHORTEST_REST_MS = 20;
const AFTER_FAILURE_MS = 30_000;

export type Counting = { readonly stop: () => void };

export function countOlderRuns(
  store: Pick<Insights, "countOlderRuns">,
  logError: (error: unknown) => void,
): Counting {
  const stopped = new AbortController();
  const rest = (ms: number) =>
    delay(ms, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);
  const count = async () => {
    while (!stopped.signal.aborted) {
      const began = performance.now();
      try {
        if ((await store.countOlderRuns()) === 0) return;
        await rest(Math.max(SHORTEST_REST_MS, performance.now() - began));
      } catch (error) {
        if (!stopped.signal.aborted) logError(error);
        await rest(AFTER_FAILURE_MS);
      }
    }
  };
  void count(); // never rejects
  return { stop: () => stopped.abort() };
}
