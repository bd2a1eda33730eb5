// J2, J4, J5: who may write, and when a run may end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { done, started, token } from "../../../test/support/drafts.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "./store.contract.ts";

const SHORT_MS = 60;

export function claimsContract(name: string, open: s.OpenStore): void {
  test(`${name} [J2, X5] a stale claim cannot write`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const thief = await s.claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
    assert.deepEqual(
      { fence: thief.fence, from: thief.previousRunnerId },
      { fence: claim.fence + 1, from: "runner_a" },
    );

    const fenced = { ok: false, reason: "fenced" };
    assert.deepEqual(await journal.append(claim, [started()]), fenced);
    assert.deepEqual(await journal.append(claim, [done(3)], { expectSeq: 2 }), fenced);
    assert.equal((await journal.run(runId))?.seq, 2);
    await s.write(journal, thief, started("runner_b"));
  });

  test(`${name} [J2] a stale append beside good ones hurts only itself`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const thief = await s.claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
    const results = await Promise.all([
      journal.append(thief, [token("m1", "a")]),
      journal.append(claim, [token("m1", "stale")]),
      journal.append(thief, [token("m1", "b")]),
    ]);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, false, true],
    );
    await s.checkSession(journal, "s1");
  });

  test(`${name} [J2] a claim on a run that is not there writes nothing`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const invented = { ...claim, runId: "nobody" };
    assert.deepEqual(await journal.append(invented, [started()]), { ok: false, reason: "fenced" });
  });

  test(`${name} [J4] an append that expects a head is refused when something came after`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const seq = await s.write(journal, claim, started());
    const steered = await journal.queueMessage(runId, { message: "wait", mode: "steer" });
    assert.equal(steered?.status, "accepted");

    const behind = { ok: false, reason: "behind" };
    assert.deepEqual(await journal.append(claim, [done(4)], { expectSeq: seq }), behind);
    assert.deepEqual(await journal.append(claim, [done(4)], { expectSeq: 0 }), behind);
    assert.equal((await journal.run(runId))?.ended_at, null);
    const ended = await journal.append(claim, [done(5)], { expectSeq: seq + 1 });
    assert.deepEqual(ended, { ok: true, seq: seq + 2 });
  });

  test(`${name} [J4] an expected head counts also behind an append of the same turn`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const [first, second] = await Promise.all([
      journal.append(claim, [token("m1", "a")]),
      journal.append(claim, [done(3)], { expectSeq: 2 }),
    ]);
    assert.deepEqual([first.ok, second], [true, { ok: false, reason: "behind" }]);
    const [third, fourth] = await Promise.all([
      journal.append(claim, [token("m1", "b")]),
      journal.append(claim, [done(3)], { expectSeq: 0 }),
    ]);
    assert.deepEqual([third.ok, fourth.ok], [true, false]);
  });

  test(`${name} [J5] only the oldest open run of a session is runnable`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const first = await s.start(journal);
    const second = await s.start(journal, { message: "two" });
    const other = await s.start(journal, { session_id: "s2" });

    const claim = await s.claimed(journal);
    assert.deepEqual([claim.runId, claim.sessionId, claim.fence], [first, "s1", 1]);
    assert.equal((await s.claimed(journal)).runId, other);
    assert.equal(await s.claimNext(journal), undefined);
    await s.write(journal, claim, done(3));
    assert.equal((await s.claimed(journal)).runId, second);
  });

  test(`${name} [J5] one run is claimed by one of many`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const journals = [journal, await store.connect(), await store.connect()];
    await s.start(journal);
    const claims = await Promise.all(
      [...journals, ...journals].map((each, index) =>
        s.claimNext(each, { runnerId: `runner_${index}` }),
      ),
    );
    assert.equal(claims.filter((claim) => claim !== undefined).length, 1);
  });

  test(`${name} [J5] a claim is free again when its lease has run out`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    const claim = await s.claimed(journal, { leaseMs: SHORT_MS });
    assert.equal(await s.claimNext(journal, { runnerId: "runner_b" }), undefined);

    const claimAgain = () => s.claimNext(journal, { runnerId: "runner_b" });
    const next = await until(claimAgain, "the lease to run out");
    assert.deepEqual([next.runId, next.fence], [runId, claim.fence + 1]);
    assert.equal((await journal.append(claim, [started()])).ok, false);
  });

  test(`${name} [J5] a renewed lease holds; only the runner's own runs are renewed`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    await s.start(journal, { session_id: "s2" });
    await s.claimed(journal, { leaseMs: SHORT_MS });
    const other = await s.claimed(journal, { runnerId: "runner_b", leaseMs: SHORT_MS });
    assert.deepEqual(await journal.renew("runner_a", s.LONG_MS), [runId]);
    assert.deepEqual(await journal.renew("nobody", s.LONG_MS), []);

    const claimOther = () => s.claimNext(journal, { runnerId: "runner_c" });
    const taken = await until(claimOther, "the other lease to run out");
    assert.equal(taken.runId, other.runId);
    assert.equal(await s.claimNext(journal, { runnerId: "runner_c" }), undefined);
    assert.deepEqual(await journal.renew("runner_b", s.LONG_MS), []);
  });

  test(`${name} [J5] a released run is free at once, but not by a stale claim`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    await journal.release({ ...claim, fence: claim.fence - 1 });
    assert.equal(await s.claimNext(journal), undefined);
    assert.deepEqual(await journal.owned(), new Map([["runner_a", [claim.runId]]]));

    await journal.release(claim);
    assert.deepEqual(await journal.owned(), new Map());
    const next = await s.claimed(journal, { runnerId: "runner_b" });
    assert.deepEqual([next.fence, next.previousRunnerId], [claim.fence + 1, null]);
  });

  test(`${name} [J5] a child runs beside its parent, also for who takes only children`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.start(journal, { session_id: "s2" });
    assert.equal(await s.claimNext(journal, { childrenOnly: true }), undefined);
    const childId = `${runId}.c1`;
    await journal.startChild({ runId: childId, parent: claim, message: "part" });

    const child = await s.claimed(journal, { childrenOnly: true });
    assert.deepEqual([child.runId, child.sessionId], [childId, "s1"]);
    await s.write(journal, child, started());
    await s.write(journal, claim, started());
    await s.checkSession(journal, "s1");
  });

  test(`${name} [J5] starting a child is idempotent, and nothing for a stale or ended parent`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const child = { runId: `${runId}.c1`, parent: claim, message: "part" };
    await Promise.all([journal.startChild(child), journal.startChild(child)]);
    const record = await journal.run(child.runId);
    assert.deepEqual(
      [record?.parent_run_id, record?.depth, record?.seq, record?.prompt, record?.model],
      [runId, 1, 2, "part", "demo/demo"],
    );

    const grandchild = await s.claimed(journal, { childrenOnly: true });
    await journal.startChild({ runId: `${runId}.c1.c1`, parent: grandchild, message: "deeper" });
    const queued = (await s.runEvents(journal, `${runId}.c1.c1`))[1];
    assert.ok(queued?.type === "run.queued");
    assert.deepEqual(
      [queued.payload.parent_run_id, queued.payload.root_run_id, queued.payload.depth],
      [child.runId, runId, 2],
    );

    const thief = await s.claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
    await journal.startChild({ ...child, runId: `${runId}.c2` });
    assert.equal(await journal.run(`${runId}.c2`), undefined);
    await s.write(journal, thief, done(3));
    await journal.startChild({ ...child, parent: thief, runId: `${runId}.c3` });
    assert.equal(await journal.run(`${runId}.c3`), undefined);
  });
}
