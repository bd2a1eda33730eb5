// Which runners are taken for lost, by a clock that the test holds.
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { claimed, start } from "../../journal/contract/store.contract.ts";
import type { RunnerLease } from "../../journal/journal.ts";
import { lostRunners, watchSilence } from "./lost-runners.ts";

const LEASE_MS = 10_000;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** Two runners' leases, a wall clock that can be set and a clock that only goes on. */
function place() {
  const watch = watchSilence(LEASE_MS);
  const leases = new Map<string, RunnerLease>();
  let [wall, at] = [1_700_000_000, 0];
  return {
    renew: (id: string, leaseMs = LEASE_MS) =>
      void leases.set(id, { until: wall + leaseMs / 1_000, restMs: leaseMs }),
    jump: (seconds: number) => void (wall += seconds),
    /** Both clocks go on, and somebody looks. */
    look: (ms: number): readonly string[] => {
      wall += ms / 1_000;
      at += ms;
      const now = [...leases].map(
        ([id, { until }]) => [id, { until, restMs: (until - wall) * 1_000 }] as const,
      );
      return watch(new Map(now), at);
    },
  };
}

test("[J5f] a runner that renews is not lost, whatever the clock is set to", () => {
  for (const jump of [HOUR_S, -HOUR_S, DAY_S, -DAY_S]) {
    const { renew, jump: set, look } = place();
    renew("a");
    for (let beat = 0; beat < 20; beat += 1) {
      if (beat === 10) set(jump);
      assert.deepEqual(look(500), [], `set by ${jump}`);
      if (beat % 5 === 4) renew("a");
    }
  }
});

test("[J5d] a runner that is silent for a whole lease is lost, and not before", () => {
  for (const jump of [0, HOUR_S, -DAY_S]) {
    const { renew, jump: set, look } = place();
    renew("a");
    look(0);
    set(jump);
    for (let ms = 500; ms < LEASE_MS; ms += 500) assert.deepEqual(look(500), [], `at ${ms}`);
    assert.deepEqual(look(500), ["a"]);
    renew("a");
    assert.deepEqual(look(500), [], "it is back");
  }
});

test("[J5e] the time in which the one who looks was asleep is not counted", () => {
  const { renew, look } = place();
  renew("a");
  look(0);
  assert.deepEqual(look(DAY_S * 1_000), [], "everybody slept: the other has not had its turn yet");
  assert.deepEqual(look(500), []);
  renew("a");
  assert.deepEqual(look(500), []);
});

test("[J5d] a lease that is longer than one's own is waited for", () => {
  const { renew, look } = place();
  renew("a", 3 * LEASE_MS);
  look(0);
  for (let ms = 500; ms < 3 * LEASE_MS; ms += 500) assert.deepEqual(look(500), [], `at ${ms}`);
  assert.deepEqual(look(500), ["a"]);
});

test("[J5d, J5g] a dead process is lost at once, a silent one after its lease, oneself never", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  for (const runnerId of ["self", "dead", "silent"]) {
    await start(journal, { session_id: runnerId });
    await claimed(journal, { runnerId, leaseMs: -HOUR_S * 1_000 }); // over by the wall clock
  }
  const started = { pid: 2 ** 22 + 1, started: "", host: hostname() }; // no process has this number
  const about = { ...started, url: null, volumes: [] };
  await journal.registry.register({ process_id: "dead", kind: "runner", ...about });
  await journal.registry.register({ process_id: "server", kind: "serve", ...about });
  let at = 0;
  const lost = lostRunners({ journal, runnerId: "self", leaseMs: LEASE_MS, now: () => at });
  assert.deepEqual(await lost(), ["dead"]);
  for (at = 500; at < LEASE_MS; at += 500) assert.deepEqual(await lost(), ["dead"], `at ${at}`);
  for (const end = at + LEASE_MS; at < end; at += 500) await lost();
  assert.deepEqual(new Set(await lost()), new Set(["dead", "silent"]));
});
