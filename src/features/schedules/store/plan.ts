// What becomes of the next time that is due, as a function of the schedule, its policies and the clock. Every time
// from `next_at` to now is in exactly one answer of a series: that nothing is lost or done twice rests on this.
import type { CronJob } from "../events.ts";
import type { Times } from "./times.ts";

export type Policy = Pick<CronJob, "catch_up" | "catch_up_max" | "grace_s">;
export type Plan =
  | {
      readonly act: "skip"; // everything from `due_at` to `through_at`
      readonly due_at: number;
      readonly through_at: number;
      readonly times: number | null;
      readonly next_at: number | null;
    }
  | {
      readonly act: "run";
      readonly due_at: number;
      readonly result: "fired" | "caught_up";
      readonly next_at: number | null;
    };

/** Beyond this nobody is told how many were skipped: a pattern costs a fifth of a millisecond each time. */
const MAX_COUNTED = 300;

/** Null: nothing is due. `next_at` is a time of the schedule. */
export function planTick(
  times: Times,
  policy: Policy,
  { next_at, now }: { next_at: number; now: number },
): Plan | null {
  if (next_at > now) return null;
  const onTimeFrom = now - policy.grace_s;
  const soonest = times.next(Math.ceil(Math.max(next_at, onTimeFrom)) - 1);
  const onTime = soonest !== null && soonest <= now ? soonest : null;
  const late = { from: next_at, before: onTime ?? Math.floor(now) + 1 };
  const caughtUp = newest(times, late, wanted(policy, onTime !== null));
  const run = caughtUp[0] ?? onTime;
  if (run !== next_at)
    return skipped(times, { next_at, before: run ?? Math.floor(now) + 1, next: run });
  const result = next_at >= onTimeFrom ? "fired" : "caught_up";
  return { act: "run", due_at: next_at, result, next_at: times.next(next_at) };
}

/** Whatever is due and undecided is left out: the schedule is paused, changed or removed. */
export function planSkip(times: Times, next_at: number | null, now: number): Plan | null {
  if (next_at === null || next_at > now) return null;
  return skipped(times, { next_at, before: Math.floor(now) + 1, next: null });
}

function wanted({ catch_up, catch_up_max }: Policy, isOneOnTime: boolean): number {
  if (catch_up === "all") return catch_up_max;
  return catch_up === "last" && !isOneOnTime ? 1 : 0;
}

type Skipping = { readonly next_at: number; readonly before: number; readonly next: number | null };

function skipped(times: Times, { next_at, before, next }: Skipping): Plan {
  const [through_at = next_at] = newest(times, { from: next_at, before }, 1);
  return {
    act: "skip",
    due_at: next_at,
    through_at,
    times: counted(times, next_at, through_at),
    next_at: next ?? times.next(through_at),
  };
}

type Between = { readonly from: number; readonly before: number };

/** The last `count` times in [from, before), oldest first: looked for in ever longer spans before the end. */
export function newest(times: Times, { from, before }: Between, count: number): number[] {
  if (count === 0) return [];
  for (let span = 60 * count; ; span *= 4) {
    const start = Math.max(from, Math.floor(before - span));
    const found: number[] = [];
    for (let at = times.next(start - 1); at !== null && at < before; at = times.next(at)) {
      found.push(at);
    }
    if (found.length >= count || start === from) return found.slice(-count);
  }
}

function counted(times: Times, from: number, through: number): number | null {
  let count = 1;
  for (let at: number | null = from; at !== null && at < through; at = times.next(at)) {
    count += 1;
    if (count > MAX_COUNTED) return null;
  }
  return count;
}
