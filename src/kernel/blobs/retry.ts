// Retries operations that may be repeated, with growing pauses. A caller can abort at any time.
import { setTimeout as delay } from "node:timers/promises";

const LONGEST_MS = 2_000;

export type Retrying = {
  readonly attempts: number;
  readonly baseMs: number;
  readonly isPassing: (error: unknown) => boolean;
  readonly signal?: AbortSignal;
};

export async function retried<Value>(
  attempt: () => Promise<Value>,
  { attempts, baseMs, isPassing, signal }: Retrying,
): Promise<Value> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= attempts || signal?.aborted || !isPassing(error)) throw error;
    }
    await pause(failures, baseMs, signal);
  }
}

/** Half of the pause is random, so that processes that failed together do not retry together. */
export async function pause(failures: number, baseMs: number, signal?: AbortSignal): Promise<void> {
  const longest = Math.min(baseMs * 2 ** (failures - 1), LONGEST_MS);
  await delay(longest * (0.5 + Math.random() / 2), undefined, signal && { signal });
}
