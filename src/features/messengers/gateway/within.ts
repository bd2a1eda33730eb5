// Waits with a timeout for work that may never end, for example a library's.
import { setTimeout as delay } from "node:timers/promises";

/** Settles with `work`, and without it after `ms`. */
export async function within(ms: number, work: PromiseLike<unknown>): Promise<void> {
  const stop = new AbortController();
  const limit = delay(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([work, limit]).finally(() => stop.abort());
}
