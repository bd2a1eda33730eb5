// Waits for a condition of another process. It is bounded: a condition that never holds is a failure that names it, not a
// test that hangs.
import { setTimeout as delay } from "node:timers/promises";

const LIMIT_MS = 60_000;
const STEP_MS = 15;

export async function until<Value>(
  condition: () => Promise<Value> | Value,
  what = "the condition",
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`waited ${LIMIT_MS} ms for ${what}`);
    await delay(STEP_MS);
  }
}
