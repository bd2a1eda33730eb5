import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../test/support/sqlite-store.ts";
import { claimed, runEvents, start } from "../journal/contract/store.contract.ts";
import { RunLog } from "./run-log.ts";
import { executeRun, type RunDeps } from "./run-loop.ts";

test("[C4] a stop that comes while the run is about to begin is not overwritten by its beginning", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await start(journal);
  using log = await RunLog.open(journal, await claimed(journal), new AbortController().signal);
  const unused = () => assert.fail("the run was stopped before it began");
  const deps: RunDeps = {
    runnerId: "runner_a",
    sandbox: async () => {
      assert.equal((await journal.cancelRun(runId, {}))?.status, "accepted");
      return "none";
    },
    model: unused,
    host: unused,
    agent: unused,
    claimedUntil: unused,
    recovery: { resume: "auto", maxAgeS: 60, maxAttempts: 3 },
    retry: { maxAttempts: 1, baseMs: 1, capMs: 1 },
  };
  await executeRun(log, deps);
  assert.equal((await journal.run(runId))?.status, "cancelled");
  const types = (await runEvents(journal, runId)).map(({ type }) => type);
  assert.deepEqual(types.slice(-3), ["status", "usage.final", "done"]);
});
