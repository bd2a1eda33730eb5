// A cluster under random faults in every test run; `npm run test:faults -- --postgres` for many.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { startPostgres } from "../support/postgres/postgres.ts";
import { runClusterTrial } from "./cluster/trial.ts";
import { runTrials } from "./run-trials.ts";

test("[D1, D2, D3, X2, X3, X5, X6, V1, V5] a cluster whose processes, network and database fail loses nothing and does nothing twice", async (t) => {
  const seed = randomInt(1_000_000_000);
  t.diagnostic(`first seed ${seed}`);
  await using postgres = await startPostgres(); // with fsync: it will be killed
  const { failed } = await runTrials({
    trial: (own) => runClusterTrial(postgres, own),
    trials: 1,
    seed,
    parallel: 1,
    report: ({ seed: own, fired, ms }) => {
      t.diagnostic(`seed ${own}: ${fired.join(", ") || "nothing fired"} (${ms} ms)`);
    },
  });
  assert.deepEqual(failed, []);
});
