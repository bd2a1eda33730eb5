// When a runner may begin an effect, by clocks that the test holds. The journal is a real one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { claimed, later, withRun } from "../../journal/contract/store.contract.ts";
import { holdLease } from "./lease.ts";

const LEASE_MS = 600_000;
const LEASE_NS = BigInt(LEASE_MS) * 1_000_000n;

async function place() {
  const store = sqliteStore();
  const { journal, runId } = await withRun(store);
  const clock = { awake: 5_000_000_000n, uptime: 105 };
  const lost: string[] = [];
  const lease = await holdLease({
    journal,
    runnerId: "runner_a",
    leaseMs: LEASE_MS,
    held: () => [runId],
    lost: (id) => void lost.push(id),
    failed: assert.ifError,
    clocks: { awake: () => clock.awake, uptime: () => clock.uptime },
  });
  return {
    journal,
    runId,
    lost,
    until: lease.until,
    /** Another one with every renewal. */
    async renewed() {
      later();
      return (await journal.leases()).get("runner_a")?.until;
    },
    awake(seconds: number): void {
      clock.awake += BigInt(seconds) * 1_000_000_000n;
      clock.uptime += seconds;
    },
    asleep: (seconds: number) => void (clock.uptime += seconds),
    now: () => clock.awake,
    async [Symbol.asyncDispose]() {
      lease[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

test("[R6b] a lease holds from before it was asked for, and is not asked for again while it does", async () => {
  await using at = await place();
  const [asked, first] = [at.now(), await at.renewed()];
  at.awake(300);
  assert.equal(await at.until(), asked + LEASE_NS);
  assert.equal(await at.renewed(), first);
});

test("[R6c] after a stop longer than the lease, or any sleep of the machine, it is renewed first", async () => {
  await using at = await place();
  for (const stop of [() => at.awake(700), () => at.asleep(5), () => at.asleep(86_400)]) {
    const before = await at.renewed();
    stop();
    assert.equal(await at.until(), at.now() + LEASE_NS);
    const after = await at.renewed();
    assert.notEqual(after, before);
    await at.until();
    assert.equal(await at.renewed(), after, "once is enough");
  }
  assert.deepEqual(at.lost, []);
});

test("[R6b, X5] a run that was taken over in the meantime is known before anything begins", async () => {
  await using at = await place();
  at.asleep(3_600);
  await claimed(at.journal, { runnerId: "runner_b", lost: ["runner_a"] });
  await at.until();
  assert.deepEqual(at.lost, [at.runId]);
});
