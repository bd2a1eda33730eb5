// Who is told, and that each thing is told once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { storeIn } from "../../../../test/support/peer.ts";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { pushStore } from "./push.ts";

const storeOf = storeIn(import.meta.resolve("./push.ts"), pushStore);

const browser = (endpoint: string, label = "a browser") => ({
  endpoint,
  p256dh: "p",
  auth: "a",
  label,
});

export function pushContract(name: string, open: s.OpenStore): void {
  test(`${name} [N1] a browser is kept once, changed in place, and forgotten for good`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await storeOf(journal).addPush(browser("https://push.example/1"));
    await storeOf(journal).addPush(browser("https://push.example/1", "renamed"));
    await storeOf(journal).addPush(browser("https://push.example/2"));
    const other = await store.connect();
    const known = await storeOf(other).pushSubscriptions();
    assert.deepEqual(
      known.map(({ endpoint, label }) => [endpoint, label]),
      [
        ["https://push.example/1", "renamed"],
        ["https://push.example/2", "a browser"],
      ],
    );
    assert.equal(await storeOf(other).removePush("https://push.example/1"), true);
    assert.equal(await storeOf(journal).removePush("https://push.example/1"), false);
    assert.equal((await storeOf(journal).pushSubscriptions()).length, 1);
  });

  test(`${name} [N2] of any number of processes one gets to tell a thing`, async () => {
    await using store = await open();
    const journals = await Promise.all([1, 2, 3].map(() => store.connect()));
    const claims = await Promise.all(
      journals.map((journal) => storeOf(journal).claimPush("request r1")),
    );
    assert.equal(claims.filter(Boolean).length, 1);
    const [first] = journals;
    assert.equal(first && (await storeOf(first).claimPush("request r2")), true);
  });

  test(`${name} [N2b] root runs that ended are news, subagents and deleted sessions are not`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started());
    assert.deepEqual(await storeOf(journal).endedRuns(0), []);
    await journal.startChild({ runId: `${runId}.c1`, parent: claim, message: "part" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, child, d.started(), d.done(2, "completed"));
    await s.write(journal, claim, d.done(3, "failed"));
    const [ended, ...more] = await storeOf(journal).endedRuns(0);
    assert.deepEqual([ended?.run_id, ended?.status, more], [runId, "failed", []]);
    assert.deepEqual(await storeOf(journal).endedRuns((ended?.ended_at ?? 0) + 1), []);
    await journal.commands.updateSession("s1", { deleted: true });
    assert.deepEqual(await storeOf(journal).endedRuns(0), []);
  });
}
