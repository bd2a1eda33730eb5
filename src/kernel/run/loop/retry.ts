// When to call a model again, and how the wait is shown.
import { setTimeout as delay } from "node:timers/promises";
import type { Draft } from "../../events/events.ts";
import type { ModelError } from "../models/model.ts";

export type RetryPolicy = { maxAttempts: number; baseMs: number; capMs: number };

/** Exponential with jitter, and never sooner than the provider asked for. */
export function backoffMs(policy: RetryPolicy, failures: number, retryAfterMs = 0): number {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (failures - 1));
  const jittered = ceiling / 2 + (Math.random() * ceiling) / 2;
  return Math.max(Math.min(retryAfterMs, policy.capMs), Math.round(jittered));
}

export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

export function progressDraft(
  error: ModelError,
  { waitMs, failures, policy }: { waitMs: number; failures: number; policy: RetryPolicy },
): Draft {
  const seconds = (waitMs / 1000).toFixed(1);
  const message = `${error.message} Trying again in ${seconds} s (${failures + 1} of ${policy.maxAttempts}).`;
  return { type: "progress", payload: { phase: "model_retry", message, call_id: null } };
}
