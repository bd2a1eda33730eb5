// J2, J4, J5: who may write, and when a run may end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { done, started, token, toolStarted, turnStarted } from "../../../../test/support/drafts.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import type { Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

const OVER_MS = -60_000; // a lease that expired before it began, as after a jump of the clock

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
    assert.equal((await journal.reads.run(runId))?.seq, 2);
    await s.write(journal, thief, started("runner_b"));
  });

  test(`${name} [R20, C4] without a runner what went on waits for one, and what was stopped can be ended`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, started());
    const claimant = { runnerId: "serve_a", leaseMs: 60_000, lost: ["runner_a"] };
    await journal.pauseAbandoned([]);
    assert.equal((await journal.reads.run(runId))?.status, "running", "its runner is not lost");
    await journal.pauseAbandoned(["runner_a"]);
    await journal.pauseAbandoned(["runner_a"]);
    assert.equal((await journal.reads.run(runId))?.status, "paused");
    assert.deepEqual((await s.runEvents(journal, runId)).at(-1)?.payload, {
      ...statusDraft("paused", "waiting for a runner").payload,
    });
    assert.equal(await journal.claimStopped(claimant), undefined, "nobody has stopped it");

    await journal.commands.cancelRun(runId, {});
    assert.equal(await journal.claimStopped({ ...claimant, lost: [] }), undefined);
    const taken = await journal.claimStopped(claimant);
    assert.deepEqual([taken?.runId, taken?.fence], [runId, claim.fence + 1]);
    assert.deepEqual(await journal.append(claim, [token("m1", "late")]), {
      ok: false,
      reason: "fenced",
    });
    assert.equal(await journal.claimStopped(claimant), undefined, "it is taken");
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
    const steered = await journal.commands.queueMessage(runId, { message: "wait", mode: "steer" });
    assert.equal(steered?.status, "accepted");

    const behind = { ok: false, reason: "behind" };
    assert.deepEqual(await journal.append(claim, [done(4)], { expectSeq: seq }), behind);
    assert.deepEqual(await journal.append(claim, [done(4)], { expectSeq: 0 }), behind);
    assert.equal((await journal.reads.run(runId))?.ended_at, null);
    const ended = await journal.append(claim, [done(5)], { expectSeq: seq + 1 });
    assert.deepEqual(ended, { ok: true, seq: seq + 2 });
  });

  test(`${name} [C4b] a runner that has not heard of a stop cannot go on with the run`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    assert.equal((await journal.commands.cancelRun(runId, {}))?.status, "accepted");
    const cancelling = { ok: false, reason: "cancelling" };
    const waiting = statusDraft("awaiting_approval");
    const begins = [turnStarted(1), toolStarted("t1.1_c0")];
    for (const drafts of [[started()], [token("m1", "a"), waiting], ...begins.map((d) => [d])]) {
      assert.deepEqual(await journal.append(claim, drafts), cancelling);
    }
    const seq = await s.write(journal, claim, token("m1", "what was said meanwhile"));
    assert.deepEqual(await journal.append(claim, [started()], { expectSeq: seq }), cancelling);
    assert.equal((await journal.reads.run(runId))?.status, "cancelling");
    assert.equal((await journal.append(claim, [done(seq + 1, "cancelled")])).ok, true);
    assert.equal((await journal.reads.run(runId))?.status, "cancelled");
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

  test(`${name} [J5f, J5g] no clock frees a claim, and nobody takes over what is his own`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    const claim = await s.claimed(journal, { leaseMs: OVER_MS });
    const [lease] = (await journal.leases()).values();
    assert.ok(lease && lease.restMs < 0, "by the database's clock it is over");
    assert.equal(await s.claimNext(journal, { runnerId: "runner_b" }), undefined);
    assert.equal(await s.claimNext(journal, { lost: ["runner_a"] }), undefined);

    const next = await s.claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
    assert.deepEqual([next.runId, next.fence], [runId, claim.fence + 1]);
    assert.deepEqual([claim.heldUntil, next.heldUntil], [null, lease.until]);
    assert.equal((await journal.append(claim, [started()])).ok, false);
  });

  test(`${name} [J5] a renewal is seen in the lease; only the runner's own runs are renewed`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    await s.start(journal, { session_id: "s2" });
    await s.claimed(journal);
    const other = await s.claimed(journal, { runnerId: "runner_b" });
    const before = await journal.leases();
    assert.deepEqual([...before.keys()].toSorted(), ["runner_a", "runner_b"]);
    s.later();
    assert.deepEqual(await journal.renew("runner_a", s.LONG_MS), [runId]);
    assert.deepEqual(await journal.renew("nobody", s.LONG_MS), []);

    const after = await journal.leases();
    assert.notEqual(after.get("runner_a")?.until, before.get("runner_a")?.until);
    assert.equal(after.get("runner_b")?.until, before.get("runner_b")?.until);
    const taken = await s.claimed(journal, { runnerId: "runner_c", lost: ["runner_b"] });
    assert.equal(taken.runId, other.runId);
    assert.deepEqual(await journal.renew("runner_b", s.LONG_MS), []);
    assert.deepEqual([...(await journal.leases()).keys()].toSorted(), ["runner_a", "runner_c"]);
  });

  test(`${name} [J5d] a released run is free at once, but not by a stale claim`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    await journal.release({ ...claim, fence: claim.fence - 1 });
    assert.equal(await s.claimNext(journal), undefined);
    assert.deepEqual(await journal.registry.owned(), new Map([["runner_a", [claim.runId]]]));

    await journal.release(claim);
    assert.deepEqual(await journal.registry.owned(), new Map());
    const next = await s.claimed(journal, { runnerId: "runner_b" });
    assert.deepEqual([next.fence, next.previousRunnerId], [claim.fence + 1, null]);
  });

  test(`${name} [J5] what was handed over in order says so to whoever claims it next, once`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    assert.equal(claim.handedOver, false);
    await journal.release({ ...claim, fence: claim.fence - 1 }, { handedOver: true });
    await journal.release(claim, { handedOver: true });
    const next = await s.claimed(journal, { runnerId: "runner_b" });
    assert.deepEqual([next.handedOver, next.previousRunnerId], [true, null]);
    await journal.release(next);
    const third = await s.claimed(journal, { runnerId: "runner_c" });
    assert.equal(third.handedOver, false);
    await journal.release(third, { handedOver: true });
    const fourth = await s.claimed(journal, { runnerId: "runner_d" });
    const thief = await s.claimed(journal, { runnerId: "runner_e", lost: ["runner_d"] });
    assert.deepEqual([fourth.handedOver, thief.handedOver], [true, false]);
  });

  test(`${name} [J5b] a session with fifty queued runs takes its turn like every other`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (let run = 0; run < 50; run += 1) await s.start(journal, { message: `${run}` });
    const others = ["s2", "s3", "s4"];
    for (const session_id of others) await s.start(journal, { session_id });
    const turns: string[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      s.later(); // two turns in one millisecond have no order
      const claim = await s.claimed(journal);
      turns.push(claim.sessionId);
      await s.write(journal, claim, done(3));
      if (claim.sessionId !== "s1") await s.start(journal, { session_id: claim.sessionId });
    }
    const round = ["s1", ...others];
    assert.deepEqual(turns, [...round, ...round, ...round]);
  });

  test(`${name} [J5i] a runner that is full takes subagents, whatever else waits, and leaves the rest`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const other = await store.connect();
    for (const session_id of ["s2", "s3"]) await s.start(journal, { session_id });
    for (const part of ["c1", "c2"]) {
      await journal.startChild({ runId: `${runId}.${part}`, parent: claim, message: part });
    }
    const full = { childrenOnly: true };
    const children = [await s.claimed(journal, full), await s.claimed(journal, full)];
    assert.deepEqual(children.map((child) => child.runId).toSorted(), [
      `${runId}.c1`,
      `${runId}.c2`,
    ]);
    assert.equal(await s.claimNext(journal, full), undefined);
    const rest = await claimAll(other, { runnerId: "runner_b" });
    assert.deepEqual(rest.map(({ sessionId }) => sessionId).toSorted(), ["s2", "s3"]);
  });

  test(`${name} [J5, X5] a lost runner's runs are each taken over by one of three that race`, async () => {
    await using store = await open();
    const journals = [await store.connect(), await store.connect(), await store.connect()];
    const [journal] = journals as [Journal];
    const lostRuns: string[] = [];
    for (let at = 0; at < 12; at += 1) await s.start(journal, { session_id: `s${at}` });
    for (const { runId } of await claimAll(journal)) lostRuns.push(runId);
    const taken = await Promise.all(
      journals.map((each, at) => claimAll(each, { runnerId: `r${at}`, lost: ["runner_a"] })),
    );
    const all = taken.flat();
    assert.deepEqual(all.map(({ runId }) => runId).toSorted(), lostRuns.toSorted());
    for (const { fence, previousRunnerId } of all) {
      assert.deepEqual([fence, previousRunnerId], [2, "runner_a"]);
    }
  });

  test(`${name} [J5] of two hundred claims that race between processes no run is got twice`, async () => {
    await using store = await open();
    const journals = [await store.connect(), await store.connect(), await store.connect()];
    const [journal] = journals as [Journal];
    const ids = Array.from({ length: 200 }, (_, at) => `s${at}`);
    const runs: string[] = [];
    for (const session_id of ids) runs.push(await s.start(journal, { session_id }));
    const racing = await Promise.all(
      [...journals, ...journals].map((each, at) => claimAll(each, { runnerId: `r${at}` })),
    );
    const got = racing.flat();
    assert.deepEqual(got.map(({ runId }) => runId).toSorted(), runs.toSorted());
    assert.ok(got.every(({ fence }) => fence === 1));
    const held = await journal.registry.owned();
    for (const [at, claims] of racing.entries()) {
      const own = claims.map(({ runId }) => runId).toSorted();
      assert.deepEqual((held.get(`r${at}`) ?? []).toSorted(), own);
    }
  });

  test(`${name} [J5c, J13a] a runner claims what is on a volume that it reaches, and plain paths`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const plain = await s.start(journal, { session_id: "s1", workspace: "/w" });
    const big = await s.start(journal, { session_id: "s2", workspace: "big:/w" });
    const home = await s.start(journal, { session_id: "s3", workspace: "home:/w" });
    const ids = async (volumes: string[]) =>
      (await claimAll(journal, { runnerId: volumes.join(), volumes })).map(({ runId }) => runId);
    assert.deepEqual(await ids([]), [plain]);
    assert.deepEqual(await ids(["tiny", "big"]), [big]);
    assert.deepEqual(await ids(["hom", "home2"]), []);
    assert.deepEqual(await ids(["home", "big"]), [home]);
  });

  test(`${name} [J13] a subagent is on its parent's volume, and what waits for a volume waits in order`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const first = await s.start(journal, { workspace: "big:/w" });
    await s.start(journal, { message: "two", workspace: "/w" });
    assert.equal(await s.claimNext(journal), undefined);
    const parent = await s.claimed(journal, { volumes: ["big"] });
    assert.equal(parent.runId, first);
    await journal.startChild({ runId: `${first}.c1`, parent, message: "part" });
    assert.equal(await s.claimNext(journal, { childrenOnly: true }), undefined);
    const child = await s.claimed(journal, { childrenOnly: true, volumes: ["big"] });
    assert.equal(child.runId, `${first}.c1`);
  });

  test(`${name} [J13f, J12] a run whose volume no runner has says what it waits for`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const runId = await s.start(journal, { workspace: "big:/w" });
    const emitted = async () => (await other.reads.session("s1"))?.activity?.text;
    const waits = "waiting for a runner that reaches volume big";
    assert.equal(await emitted(), waits);
    assert.equal((await other.reads.sessions({ limit: 9, offset: 0 }))[0]?.activity?.text, waits);
    assert.equal((await other.reads.sessionSummary("s1"))?.activity?.text, waits);
    assert.deepEqual(await other.registry.unreached(), new Map([["big", [runId]]]));

    const record = { kind: "runner", pid: 1, started: "", host: "elsewhere", url: null } as const;
    await journal.registry.register({ process_id: "a", ...record, volumes: ["bigger"] });
    assert.equal(await emitted(), waits);
    await journal.registry.register({ process_id: "b", ...record, volumes: ["home", "big"] });
    assert.equal(await emitted(), undefined);
    assert.deepEqual(await other.registry.unreached(), new Map());
    await journal.registry.unregister("b");
    await s.claimed(journal, { volumes: ["big"] });
    assert.equal(await emitted(), undefined);
    assert.deepEqual(await other.registry.unreached(), new Map());
  });

  test(`${name} [J5a] a child runs beside its parent, also for who takes only children`, async () => {
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
    const record = await journal.reads.run(child.runId);
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
    assert.equal(await journal.reads.run(`${runId}.c2`), undefined);
    await s.write(journal, thief, done(3));
    await journal.startChild({ ...child, parent: thief, runId: `${runId}.c3` });
    assert.equal(await journal.reads.run(`${runId}.c3`), undefined);
  });
}

/** One after another, until there is nothing left to claim. */
async function claimAll(journal: Journal, options: Parameters<typeof s.claimNext>[1] = {}) {
  const claims = [];
  for (;;) {
    const claim = await s.claimNext(journal, options);
    if (!claim) return claims;
    claims.push(claim);
  }
}
