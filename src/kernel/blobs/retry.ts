// Trying again what may be repeated, with growing pauses. Who waits can leave at any time.
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

/** Half of it by chance: processes that failed together do not come back together. */
export async function pause(failures: number, baseMs: number, signal?: AbortSignal): Promise<void> {
  const longest = Math.min(baseMs * 2 ** (failures - 1), LONGEST_MS);
  await delay(longest * (0.5 + Math.random() / 2), undefined, signal && { signal });
}
