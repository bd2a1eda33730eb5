// Every time that is due is in exactly one decision, whatever the downtimes, clocks and policies.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newest, planTick, type Plan, type Policy } from "./plan.ts";
import { timesOf, type Times } from "./times.ts";

const START = Date.parse("2026-03-27T00:00:00Z") / 1_000; // two days before Berlin's clocks change
const schedules = fc.constantFrom(
  "*/7 * * * *",
  "30 2 * * *",
  "0 */3 * * *",
  "every 37m",
  "15,45 1-4 * * 0",
);
const policies: fc.Arbitrary<Policy> = fc.record({
  catch_up: fc.constantFrom("none", "last", "all"),
  catch_up_max: fc.integer({ min: 1, max: 5 }),
  grace_s: fc.constantFrom(0, 60, 3_600),
});
/** How long until somebody looks again; the clock may be set back. */
const waits = fc.array(fc.integer({ min: -7_200, max: 40_000 }), { minLength: 1, maxLength: 20 });

function dueIn(times: Times, from: number, through: number): number[] {
  return newest(times, { from, before: Math.floor(through) + 1 }, 1_000_000);
}

function covered(times: Times, plan: Plan): number[] {
  if (plan.act === "run") return [plan.due_at];
  const all = dueIn(times, plan.due_at, plan.through_at);
  if (plan.times !== null) assert.equal(plan.times, all.length);
  return all;
}

type Moment = { readonly policy: Policy; readonly now: number };

/** Who runs late may: the policy says so. */
function checkRun(times: Times, plan: Plan, { policy, now }: Moment): void {
  if (plan.act !== "run") return;
  const isLate = plan.due_at < now - policy.grace_s;
  assert.equal(plan.result, isLate ? "caught_up" : "fired");
  if (!isLate) return;
  const later = dueIn(times, plan.due_at + 1, now);
  assert.notEqual(policy.catch_up, "none");
  if (policy.catch_up === "last") assert.deepEqual(later, [], "something newer is due");
  const late = later.filter((at) => at < now - policy.grace_s);
  assert.ok(late.length < policy.catch_up_max || policy.catch_up === "last");
}

function checkSkip(times: Times, plan: Plan, { policy, now }: Moment): void {
  if (plan.act !== "skip") return;
  assert.ok(plan.through_at < now - policy.grace_s, "what is on time is not skipped");
  const later = dueIn(times, plan.through_at + 1, now);
  if (policy.catch_up === "last") assert.notDeepEqual(later, [], "one of them is caught up");
  const late = later.filter((at) => at < now - policy.grace_s);
  if (policy.catch_up === "all") assert.equal(late.length, policy.catch_up_max);
}

test("[Z2] decisions of a series cover every due time once, in order, by the policy", () => {
  fc.assert(
    fc.property(schedules, policies, waits, (schedule, policy, steps) => {
      const times = timesOf({ schedule, time_zone: "Europe/Berlin", anchor_at: START });
      let next_at = times.next(START) as number;
      let now = START;
      let latest = START;
      const decided: number[] = [];
      for (const step of steps) {
        now = Math.max(START, now + step) + 0.25;
        latest = Math.max(latest, now);
        for (;;) {
          const plan = planTick(times, policy, { next_at, now });
          if (!plan) break;
          checkRun(times, plan, { policy, now });
          checkSkip(times, plan, { policy, now });
          decided.push(...covered(times, plan));
          next_at = plan.next_at as number;
        }
        assert.ok(next_at > now, "nothing that is due is left");
      }
      assert.deepEqual(decided, dueIn(times, times.next(START) as number, latest));
    }),
    { numRuns: 60 },
  );
});

test("[Z2a] what was skipped in a year is one decision, made in no time worth mentioning", () => {
  const times = timesOf({ schedule: "* * * * *", time_zone: "Europe/Berlin", anchor_at: START });
  let calls = 0;
  const counted: Times = {
    next(after) {
      calls += 1;
      return times.next(after);
    },
  };
  const policy: Policy = { catch_up: "last", catch_up_max: 10, grace_s: 60 };
  const now = START + 365 * 86_400 + 30;
  const plan = planTick(counted, policy, { next_at: START + 60, now });
  const through_at = START + 365 * 86_400 - 60;
  assert.deepEqual(plan, {
    act: "skip",
    due_at: START + 60,
    through_at,
    times: null,
    next_at: through_at + 60,
  });
  assert.ok(calls < 400, `${calls} times were computed`);
});
