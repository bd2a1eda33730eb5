// Asks a person when a time limit is reached in the middle of a step. The step goes on meanwhile and is stopped if
// the answer is to stop. Only time is watched: the cost of a step is known when it is over, and subagents ask about
// their own share.
import { setTimeout as delay } from "node:timers/promises";
import { budgetRequestId } from "../../events/budget.ts";
import type { Budget } from "../../events/catalogue/lifecycle.ts";
import { askDrafts, budgetOf, usedUp } from "./budget.ts";
import { openChildren } from "./tool-result.ts";
import { Cancelled, type RunLog } from "./run-log.ts";

const LONGEST_TIMER_MS = 86_400_000;

/** Does `work` under the run's limit of time. */
export async function withinTime(
  log: RunLog,
  profile: Budget | null,
  work: () => Promise<void>,
): Promise<void> {
  const limit = budgetOf(log.state, profile)?.wall_s ?? null;
  if (limit === null) return work();
  const over = new AbortController();
  const watching = watch(log, limit, over.signal).catch((error: unknown) => {
    if (!over.signal.aborted && !log.signal.aborted) log.abort(error as Error);
  });
  try {
    await work();
  } finally {
    over.abort();
    await watching; // whoever asks next knows what was asked here
  }
}

async function watch(log: RunLog, limit: number, over: AbortSignal): Promise<void> {
  let since = performance.now(); // when `log.state` was as it is
  for (;;) {
    const { status, activeSeconds, budgetRaises, budgetStopped, pending } = log.state;
    if (budgetStopped) return log.abort(new Cancelled());
    const id = budgetRequestId(log.claim.runId, budgetRaises);
    const allowed = limit * (budgetRaises + 1);
    const left = (allowed - activeSeconds) * 1_000 - (performance.now() - since);
    // Time in which a person is waited for does not count.
    const waits = status !== "running" || pending[id] || openChildren(log).length > 0;
    if (!waits && left <= 0) {
      await log.appendIfCurrent(askDrafts(id, usedUp("wall_s", allowed, allowed)));
    } else {
      await grown(log, over, waits ? LONGEST_TIMER_MS : Math.min(left, LONGEST_TIMER_MS));
    }
    if (over.aborted) return;
    if (log.state.activeSeconds !== activeSeconds) since = performance.now();
  }
}

async function grown(log: RunLog, over: AbortSignal, ms: number): Promise<void> {
  const timer = new AbortController();
  const signal = AbortSignal.any([over, timer.signal]);
  const ended = delay(ms, undefined, { signal }).catch(() => undefined);
  await Promise.race([ended, log.change()]);
  timer.abort();
}
