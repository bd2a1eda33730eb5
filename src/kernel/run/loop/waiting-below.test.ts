// A run whose subagent waits for a person waits for that person too.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import { claimed, start, write } from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import { beginRun, type RecoveryPolicy } from "./recovery.ts";
import { RunLog } from "./run-log.ts";

const POLICY: RecoveryPolicy = { resume: "auto", maxAgeS: 60, maxAttempts: 3 };

/** A run and its subagent, both claimed by a runner that is lost. */
async function delegated(journal: Journal) {
  const runId = await start(journal);
  const parent = await claimed(journal);
  const ids = {
    subagent_id: `${runId}.t1.1.c0`,
    child_run_id: `${runId}.t1.1.c0`,
    call_id: "t1.1.c0",
  };
  const payload = { ...ids, title: "part", prompt: "part", depth: 1 };
  await write(journal, parent, d.started(), d.turnStarted(1), d.said("m1", ""));
  await write(journal, parent, d.intent("t1.1.c0"), d.toolStarted("t1.1.c0"));
  await write(journal, parent, { type: "subagent.started", payload });
  await journal.startChild({ runId: ids.child_run_id, parent, message: "part" });
  const child = await claimed(journal, { childrenOnly: true });
  await write(journal, child, d.started());
  return { child };
}

/** Older than any run can be: even one whose lease has just been renewed. */
const TOO_OLD = -3_600;
let runners = 0;

/** What the next runner of the parent thinks of it: none takes over from itself. */
async function recovered(journal: Journal, policy: RecoveryPolicy) {
  const lost = ["runner_a", `runner_${runners}`];
  runners += 1;
  const runnerId = `runner_${runners}`;
  const claim = await claimed(journal, { runnerId, lost });
  using log = await RunLog.open(journal, claim, new AbortController().signal);
  const deps = { runnerId, recovery: policy, sandbox: async () => "none" as const };
  const failure = await beginRun(log, deps);
  return failure?.code;
}

test("[R5c, X8] a run whose subagent waits for a person has no age and no attempts", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { child } = await delegated(journal);
  await write(journal, child, d.approvalAsked("c1"), d.status("awaiting_approval"));
  assert.equal(await recovered(journal, { ...POLICY, maxAgeS: TOO_OLD }), undefined);
  for (let loss = 0; loss < 5; loss += 1) {
    assert.equal(await recovered(journal, POLICY), undefined, `loss ${loss}`);
  }
});

test("[R5c, X1] an answer to a subagent counts for the run it belongs to, however long nothing ran before", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { child } = await delegated(journal);
  await write(journal, child, d.approvalAsked("c1"), d.status("awaiting_approval"));
  const asked = (await journal.reads.run(child.runId))?.updated_at ?? 0;
  await until(async () => Date.now() / 1000 - asked > 0.2);
  const about = { runId: child.runId, approvalId: "ap_c1" };
  const answer = await journal.commands.respondApproval(about, { choice: "once", by: "person" });
  assert.equal(answer?.status, "accepted");
  const answered = (await journal.reads.run(child.runId))?.updated_at ?? 0;
  const policy = {
    ...POLICY,
    get maxAgeS() {
      return Date.now() / 1000 - answered;
    },
  };
  assert.equal(await recovered(journal, policy), undefined);
});

test("[R5d] a run whose subagent only works expires like any other", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await delegated(journal);
  assert.equal(await recovered(journal, { ...POLICY, maxAgeS: TOO_OLD }), "recovery_expired");
});
