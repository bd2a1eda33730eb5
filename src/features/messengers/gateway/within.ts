// Waits for work that may never end: a library's, say.
import { setTimeout as delay } from "node:timers/promises";

/** Settles with `work`, and without it after `ms`. */
export async function within(ms: number, work: PromiseLike<unknown>): Promise<void> {
  const stop = new AbortController();
  const limit = delay(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([work, limit]).finally(() => stop.abort());
}
