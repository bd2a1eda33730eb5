// How long to wait before the next attempt. The random number is passed in: a thousand windows that lost the same
// server must not return in the same instant, and a test must know the delay.

export type Backoff = { readonly minMs: number; readonly maxMs: number };

/** `attempt` counts failures in a row, from 1. Between half and all of the doubled delay. */
export function delayOf({ minMs, maxMs }: Backoff, attempt: number, random: () => number): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(attempt - 1, 30));
  return full * (0.5 + random() / 2);
}

/** Settles after `ms` (null: never by itself), or at once when the signal aborts. Never rejects. */
export function pause(ms: number | null, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = ms === null ? undefined : setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
