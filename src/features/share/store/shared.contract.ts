// What all processes have in common: one value, whoever was first, until somebody replaces it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type * as s from "../../../kernel/journal/contract/store.contract.ts";

export function sharedContract(name: string, open: s.OpenStore): void {
  test(`${name} [A3] a shared value is there for every process once one has kept it`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const other = await store.connect();
    assert.equal(await other.registry.shared("token"), undefined);
    assert.equal(await journal.registry.keepShared("token", "first"), "first");
    assert.equal(await other.registry.keepShared("token", "second"), "first", "the first one wins");
    assert.equal(await other.registry.shared("token"), "first");
    assert.equal(
      await other.registry.shared("epoch"),
      undefined,
      "what the journal itself keeps is apart",
    );
    assert.equal(await other.registry.keepShared("epoch", "mine"), "mine");
    assert.equal(await journal.registry.shared("token"), "first");
    assert.notEqual((await store.connect()).epoch, "mine");
  });

  test(`${name} [A3] a shared value is replaced for all at once, and only when that is asked for`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const other = await store.connect();
    await journal.registry.keepShared("token", "old");
    assert.equal(await other.registry.keepShared("token", "new", { replace: true }), "new");
    assert.equal(await journal.registry.shared("token"), "new");
    assert.equal(
      await journal.registry.keepShared("made new", "at once", { replace: true }),
      "at once",
    );
    assert.equal(await other.registry.shared("made new"), "at once");
  });

  test(`${name} [A3, N3] of any number of processes that make one at once, all get the same`, async () => {
    await using store = await open();
    const journals = await Promise.all([1, 2, 3].map(() => store.connect()));
    for (const round of [1, 2, 3, 4, 5]) {
      const kept = await Promise.all(
        journals.map((journal, at) => journal.registry.keepShared(`keys ${round}`, `of ${at}`)),
      );
      assert.equal(new Set(kept).size, 1, kept.join(", "));
      assert.equal(await journals[0]?.registry.shared(`keys ${round}`), kept[0]);
    }
  });
}
