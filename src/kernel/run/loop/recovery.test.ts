import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { approvalAsked, intent, started, turnStarted } from "../../../../test/support/drafts.ts";
import { claimed, runEvents, start, write } from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import { beginRun } from "./recovery.ts";
import { RunLog } from "./run-log.ts";
import { executeRun, type RunDeps } from "./run-loop.ts";

test("[C4b] a stop that comes while the run is about to begin is not overwritten by its beginning", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await start(journal);
  using log = await RunLog.open(journal, await claimed(journal), new AbortController().signal);
  const unused = () => assert.fail("the run was stopped before it began");
  const deps: RunDeps = {
    runnerId: "runner_a",
    sandbox: async () => {
      assert.equal((await journal.commands.cancelRun(runId, {}))?.status, "accepted");
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
  assert.equal((await journal.reads.run(runId))?.status, "cancelled");
  const types = (await runEvents(journal, runId)).map(({ type }) => type);
  assert.deepEqual(types.slice(-3), ["status", "usage.final", "done"]);
});

test("[R5b] a run is as old as its last lease: one that had nothing to tell for long goes on", async (t) => {
  const DAY_MS = 86_400_000;
  const recovery = { resume: "auto", maxAgeS: 3_600, maxAttempts: 3 } as const;
  for (const [leaseMs, code] of [
    [10_000, undefined],
    [-DAY_MS, "recovery_expired"],
  ] as const) {
    await using store = sqliteStore();
    const journal = await store.connect();
    const now = Date.now();
    const clock = t.mock.method(Date, "now", () => now - DAY_MS);
    await start(journal);
    await write(journal, await claimed(journal, { leaseMs }), started());
    clock.mock.restore();
    const claim = await claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
    using log = await RunLog.open(journal, claim, new AbortController().signal);
    const failure = await beginRun(log, {
      runnerId: "runner_b",
      recovery,
      sandbox: async () => "none",
    });
    assert.equal(failure?.code, code);
  }
});

test("[R5c] a run that waited for a person for long goes on, also when the answer comes while it is recovered", async (t) => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const now = Date.now();
  const clock = t.mock.method(Date, "now", () => now - 86_400_000);
  const runId = await start(journal);
  const first = await claimed(journal, { leaseMs: -86_400_000 });
  await write(journal, first, started(), turnStarted(1), intent("c1"), approvalAsked("c1"));
  clock.mock.restore();
  const claim = await claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
  const answering = Object.assign(Object.create(journal) as Journal, {
    append: async (...args: Parameters<Journal["append"]>) => {
      const ids = { runId, approvalId: Object.keys(log.state.pending)[0] ?? "" };
      await journal.commands.respondApproval(ids, { choice: "once", by: "person" });
      return journal.append(...args);
    },
  });
  using log = await RunLog.open(answering, claim, new AbortController().signal);
  const failure = await beginRun(log, {
    runnerId: "runner_b",
    recovery: { resume: "auto", maxAgeS: 3_600, maxAttempts: 3 },
    sandbox: async () => "none",
  });
  assert.deepEqual([failure, log.state.pending], [undefined, {}]);
});
