import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJobRecord, CronTick } from "../records.ts";
import { fieldsOf, textsOf } from "./texts.ts";
import { bothTimes, describeDelivery, describeDue, describe, describeNext } from "./labels.ts";

const NINE = Date.parse("2026-03-31T07:00:00Z") / 1_000; // in Berlin

test("[UX] a time is told on both clocks where they differ, and its day where that differs", () => {
  const day = "Tue, 31 Mar 2026, 09:00 Europe/Berlin";
  assert.equal(bothTimes(NINE, "Europe/Berlin", "Europe/Berlin"), day);
  assert.equal(bothTimes(NINE, "Europe/Berlin", "America/New_York"), `${day} (03:00 here)`);
  const far = `${day} (Mon, 30 Mar 2026, 21:00 here)`;
  assert.equal(bothTimes(NINE, "Europe/Berlin", "Pacific/Honolulu"), far);
  assert.match(bothTimes(NINE + 5, "UTC", "UTC"), /07:00:05 UTC$/);
});

test("[UX] what comes, what was due and where it went is said in words", () => {
  assert.deepEqual(
    [0, 30, 600, 7_200, 400_000].map((after) => describe(NINE + after, NINE * 1_000)),
    ["now", "in 30 s", "in 10 min", "in 2 h", "in 5 days"],
  );
  const job = { state: "active", next_at: NINE + 60, time_zone: "UTC" } as CronJobRecord;
  assert.match(describeNext(job, NINE * 1_000), /^Next in 1 min: Tue, 31 Mar 2026, 07:01 UTC/);
  assert.equal(describeNext({ ...job, state: "paused" }, 0), "No more times until it is resumed");
  const tick = { result: "skipped", due_at: NINE, through_at: NINE, times: 1 } as CronTick;
  assert.equal(describeDue(tick, "UTC"), "Tue, 31 Mar 2026, 07:00");
  const many = { ...tick, through_at: NINE + 120, times: 3 };
  assert.equal(
    describeDue(many, "UTC"),
    "3 times, Tue, 31 Mar 2026, 07:00 to Tue, 31 Mar 2026, 07:02",
  );
  assert.match(describeDue({ ...many, times: null }, "UTC"), /^very many times/);
  const delivery = { target: "slack", state: "failed", reason: "gone" } as const;
  assert.equal(describeDelivery({ ...tick, delivery }), "Could not be delivered to slack: gone");
  assert.equal(describeDelivery({ ...tick, delivery: { ...delivery, target: "local" } }), null);
});

test("[UX] a form that is left as it is means the usual, and what is kept comes back", () => {
  const texts = { ...textsOf(null), prompt: " Do it.\nNow. ", schedule: "@daily", skills: "a, ,b" };
  const fields = fieldsOf(texts);
  assert.deepEqual(
    [fields.name, fields.deliver, fields.session, fields.budget],
    ["Do it.", "local", "new", null],
  );
  assert.deepEqual([fields.skills, fields.grace_s, fields.model], [["a", "b"], 60, null]);
  const job = { ...fields, budget: null, skills: ["a"] } as unknown as CronJobRecord;
  assert.equal(textsOf(job).skills, "a");
  const limited = { ...job, budget: { tokens: 5, cost_usd: 2, wall_s: null, tool_calls: null } };
  const { budget } = fieldsOf({ ...textsOf(limited), tokens: "" });
  assert.deepEqual(budget, { ...limited.budget, tokens: null }, "no other limit is lost");
});
