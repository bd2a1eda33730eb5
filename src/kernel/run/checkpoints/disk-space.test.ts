import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import { claimed, runEvents, start, type Store } from "../../journal/contract/store.contract.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import { waitForSpace } from "./disk-space.ts";

/** A run that waits for an approval while the disk is full. */
async function waiting(store: Store & { home: string }) {
  const journal = await store.connect();
  const runId = await start(journal);
  const claim = await claimed(journal);
  await journal.append(claim, [
    d.started(),
    d.approvalAsked("c1"),
    statusDraft("awaiting_approval"),
  ]);
  const { signal } = new AbortController();
  const room = waitForSpace({ journal, claim, home: store.home, signal });
  await until(async () => (await journal.reads.run(runId))?.status === "paused");
  const statuses = async () => {
    const events = await runEvents(journal, runId);
    return events.flatMap((event) => (event.type === "status" ? [event.payload.status] : []));
  };
  return { journal, runId, room, statuses };
}

test("[D6] a run that waited for a person before the disk was full waits for them afterwards", async () => {
  await using store = sqliteStore();
  const { room, statuses } = await waiting(store);
  await room;
  assert.deepEqual((await statuses()).slice(-2), ["paused", "awaiting_approval"]);
});

test("[D6, C5] an answer that came while the disk was full counts: nothing is waited for any more", async () => {
  await using store = sqliteStore();
  const { journal, runId, room, statuses } = await waiting(store);
  const by = { choice: "once", by: "person" } as const;
  const answered = await journal.commands.respondApproval({ runId, approvalId: "ap_c1" }, by);
  assert.equal(answered?.status, "accepted");
  await room;
  assert.deepEqual((await statuses()).slice(-2), ["paused", "running"]);
});

test("[D6, C4] a stop that came while the disk was full stays one", async () => {
  await using store = sqliteStore();
  const { journal, runId, room, statuses } = await waiting(store);
  assert.equal((await journal.commands.cancelRun(runId, {}))?.status, "accepted");
  await room;
  assert.deepEqual((await statuses()).slice(-2), ["paused", "cancelling"]);
});
