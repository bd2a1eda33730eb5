// C14, W7: a deleted session is in no list, its runs are stopped, and nothing is destroyed.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

const remove = (journal: Journal, sessionId = "s1") =>
  journal.commands.updateSession(sessionId, { deleted: true });

async function listed(journal: Journal): Promise<string[][]> {
  const page = { limit: 10, offset: 0 };
  const { sessions, total } = await journal.reads.sessionSummaries(page);
  assert.equal(total, sessions.length);
  const ids = (them: readonly { session_id: string }[]) =>
    them.map(({ session_id }) => session_id).toSorted();
  const heads = [...(await journal.reads.sessionHeads()).keys()].toSorted();
  return [ids(await journal.reads.sessions(page)), ids(sessions), heads];
}

export function deletedContract(name: string, open: s.OpenStore): void {
  test(`${name} [C16a, C14] a deleted session is in no list and no search, and can still be asked for`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "find the treasure");
    await s.start(journal, { session_id: "s2", message: "treasure too" });
    assert.deepEqual(await listed(journal), Array(3).fill(["s1", "s2"]));
    const before = await journal.reads.sessionSummary("s1");
    assert.equal(before?.deleted, false);

    assert.equal((await remove(journal))?.status, "accepted");
    assert.deepEqual(await listed(journal), Array(3).fill(["s2"]));
    const query = { q: "treasure", limit: 10 };
    const { hits } = await journal.reads.search(query);
    assert.deepEqual([...new Set(hits.map(({ session_id }) => session_id))], ["s2"]);
    assert.equal((await journal.reads.session("s1"))?.title, "find the treasure");
    const after = await journal.reads.sessionSummary("s1");
    const { seq, updated_at } = after ?? {};
    assert.deepEqual(after, { ...before, deleted: true, seq, updated_at });
    await s.checkSession(journal, "s1");
    await journal.upkeep.rebuild();
    assert.deepEqual(await listed(journal), Array(3).fill(["s2"]));

    assert.equal(
      (await journal.commands.updateSession("s1", { deleted: false }))?.status,
      "accepted",
    );
    assert.deepEqual(await listed(journal), Array(3).fill(["s1", "s2"]));
    assert.equal((await journal.reads.search(query)).hits.length, 3);
  });

  test(`${name} [C14, J6] deleting twice, or bringing back what is there, is a duplicate`, async () => {
    await using store = await open();
    const journal = await store.connect();
    assert.equal(await remove(journal), undefined);
    await s.start(journal);
    assert.equal(
      (await journal.commands.updateSession("s1", { deleted: false }))?.status,
      "duplicate",
    );
    const other = await store.connect();
    const outcomes = await Promise.all([remove(journal), remove(other), remove(journal)]);
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.updated"), [{ deleted: true }]);
  });

  test(`${name} [C14, C4] deleting stops what runs and what waits, in one transaction`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.approvalAsked("c1"));
    const waiting = [];
    for (const message of ["a", "b", "c"]) waiting.push(await s.start(journal, { message }));
    const elsewhere = await s.start(journal, { session_id: "s2" });
    const queues = (await s.payloadsOf(journal, "s1", "queue.updated")).length;
    const head = (await journal.reads.session("s1"))?.seq ?? 0;
    await remove(journal);

    assert.equal((await journal.reads.run(runId))?.status, "cancelling");
    for (const id of waiting) assert.equal((await journal.reads.run(id))?.status, "cancelled");
    assert.equal((await journal.reads.run(elsewhere))?.status, "queued");
    const emitted = await s.payloadsOf(journal, "s1", "queue.updated");
    assert.deepEqual(emitted.slice(queues), [{ items: [] }], "the queue is told once");
    const events = (await s.sessionEvents(journal)).slice(head);
    assert.equal(events.at(-1)?.type, "session.updated");
    await s.end(journal, claim);
    assert.deepEqual(await journal.reads.pending({}), [], "its requests are gone with its runs");
    assert.equal((await s.claimed(journal)).runId, elsewhere);
    assert.equal((await remove(journal))?.status, "duplicate");
  });

  test(`${name} [C16b, C14] whatever is started in a deleted session brings it back`, async () => {
    const starts: Record<string, (journal: Journal, runId: string) => Promise<unknown>> = {
      start: (journal) => s.start(journal),
      retry: (journal) => journal.commands.retry("s1", {}),
      rerun: (journal, runId) => journal.commands.rerun(runId, { message: "else" }),
      compress: (journal) => journal.commands.compress("s1", {}),
      say: (journal) =>
        journal.commands.takeChannelMessage(
          { session_id: "s1", message_id: "k", text: "ahoy", source: "terminal" },
          s.DEFAULTS,
        ),
    };
    for (const [how, begin] of Object.entries(starts)) {
      await using store = await open();
      const journal = await store.connect();
      const runId = await s.exchange(journal, "hello");
      await remove(journal);
      await begin(journal, runId);
      assert.equal((await journal.reads.sessionSummary("s1"))?.deleted, false, how);
      const changes = await s.payloadsOf(journal, "s1", "session.updated");
      assert.deepEqual(changes, [{ deleted: true }, { deleted: false }], how);
    }
  });

  test(`${name} [C14] a subagent of a run that is being stopped brings nothing back`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    await remove(journal);
    await journal.startChild({ runId: "run_child", parent: claim, message: "look" });
    assert.equal((await journal.reads.sessionSummary("s1"))?.deleted, true);
  });
}
