import assert from "node:assert/strict";
import { test } from "node:test";
import { believedTime } from "./scheduler.ts";

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

function place() {
  let [wall, uptime] = [1_700_000_000, 50];
  const believes = believedTime(() => uptime);
  return {
    set: (seconds: number) => void (wall += seconds),
    /** So many seconds pass, awake or asleep. */
    after(seconds: number): boolean {
      wall += seconds;
      uptime += seconds;
      return believes(wall);
    },
  };
}

test("[Z4b] a clock that was set is not believed at once, and back again it always is", () => {
  for (const jump of [HOUR_S, -HOUR_S, DAY_S, -DAY_S]) {
    const clock = place();
    assert.ok(clock.after(0));
    clock.set(jump);
    for (let waited = 0; waited < 290; waited += 15) assert.equal(clock.after(15), false);
    clock.set(-jump);
    assert.ok(clock.after(15));
  }
});

test("[Z4b] a jump that stands for five minutes is the time", () => {
  const clock = place();
  clock.after(0);
  clock.set(DAY_S);
  assert.equal(clock.after(10), false);
  clock.set(HOUR_S);
  assert.equal(clock.after(295), false, "another jump is another wait");
  assert.equal(clock.after(290), false);
  assert.ok(clock.after(10));
  assert.ok(clock.after(1));
});

test("[Z4b] neither a sleep nor small corrections are a jump", () => {
  const clock = place();
  assert.ok(clock.after(0));
  assert.ok(clock.after(3 * DAY_S));
  for (let times = 0; times < 100; times += 1) {
    clock.set(20);
    assert.ok(clock.after(60));
  }
});
