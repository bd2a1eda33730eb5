// Which traces are whose, on both databases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rawSql, type RawPlace } from "../../../../test/support/journal/raw-journal.ts";
import { storeIn } from "../../../../test/support/peer.ts";
import type { OpenStore } from "../../../kernel/journal/contract/store.contract.ts";
import { traceStore } from "./traces.ts";

const tracesOf = storeIn(import.meta.resolve("./traces.ts"), traceStore);

export function tracesContract(name: string, open: OpenStore): void {
  test(`${name} [I6] a trace has one exporter at a time, and ends once`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const other = await store.connect();
    assert.deepEqual(await tracesOf(journal).takeTraces("a", 60_000), []);
    await tracesOf(journal).traceRun("run_1", "a", 60_000);
    assert.deepEqual(await tracesOf(journal).takeTraces("a", 60_000), [{ runId: "run_1", seq: 0 }]);
    assert.deepEqual(await tracesOf(other).takeTraces("b", 60_000), []);
    const moved = { runId: "run_1", seq: 7, ended: false };
    await tracesOf(other).deliveredTraces("b", [moved]);
    assert.deepEqual(await tracesOf(journal).takeTraces("a", 60_000), [{ runId: "run_1", seq: 0 }]);
    await tracesOf(journal).deliveredTraces("a", [moved]);
    assert.deepEqual(await tracesOf(journal).takeTraces("a", 60_000), [{ runId: "run_1", seq: 7 }]);
    const place = store as unknown as RawPlace;
    await rawSql(place, "UPDATE traces SET lease_until = 1"); // as if it had been killed long ago
    assert.deepEqual(await tracesOf(other).takeTraces("b", 60_000), [{ runId: "run_1", seq: 7 }]);
    await tracesOf(other).releaseTraces("b");
    assert.deepEqual(await tracesOf(journal).takeTraces("a", 60_000), [{ runId: "run_1", seq: 7 }]);
    await tracesOf(other).traceRun("run_1", "b", 60_000); // whoever works on the run goes first
    assert.deepEqual(await tracesOf(other).takeTraces("b", 60_000), [{ runId: "run_1", seq: 7 }]);
    await tracesOf(journal).deliveredTraces("a", [{ ...moved, ended: true }]);
    assert.deepEqual(await tracesOf(journal).takeTraces("a", 60_000), []);
    assert.equal((await tracesOf(other).takeTraces("b", 60_000)).length, 1);
    await tracesOf(other).deliveredTraces("b", [{ ...moved, ended: true }]);
    assert.deepEqual(await tracesOf(other).takeTraces("b", 60_000), []);
  });
}
