// Some random kills in every test run, with stops and steers between them; `npm run test:faults -- --trials N` for thousands.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { runTrials } from "./run-trials.ts";
import { runTrial } from "./trial.ts";

const TRIALS = 8;

test("[D1, D2, D3, X3, X6, V1, C3, C4] random kills lose nothing, show nothing twice and run nothing twice; what a person said counts", async (t) => {
  const seed = randomInt(1_000_000_000);
  t.diagnostic(`first seed ${seed}`);
  let kills = 0;
  const { counted, failed } = await runTrials({
    trial: runTrial,
    trials: TRIALS,
    seed,
    parallel: 2,
    report: ({ seed: own, fired, ms }) => {
      kills += fired.length;
      t.diagnostic(`seed ${own}: ${fired.join(", ") || "nothing fired"} (${ms} ms)`);
    },
  });
  t.diagnostic(`${kills} kills in ${counted} trials`);
  assert.deepEqual(failed, []);
  assert.ok(kills >= TRIALS, `only ${kills} kills fired`);
});
