// The system log: one for all processes, chained like every other log, and in no list of sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { SYSTEM_LOG, type SystemDraft, type SystemEvent } from "../../events/system-events.ts";
import type { SystemLogQuery, Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

const login = (by: string, address = "127.0.0.1"): SystemDraft => ({
  type: "login.succeeded",
  payload: { by, address },
});
const rotated: SystemDraft = { type: "token.rotated", payload: { by: "shell" } };

async function emitted(
  journal: Journal,
  query: Partial<SystemLogQuery> = {},
): Promise<SystemEvent[]> {
  const found = await journal.systemLog.events({ limit: 100, ...query });
  return found.map((body) => JSON.parse(body) as SystemEvent);
}
const seqs = (events: readonly SystemEvent[]) => events.map(({ seq }) => seq);

export function systemLogContract(name: string, open: s.OpenStore): void {
  test(`${name} [U1] the system log is one for all processes, in order, and chained`, async () => {
    await using store = await open();
    const [one, other] = [await store.connect(), await store.connect()];
    assert.deepEqual(await emitted(one), [], "nothing happened yet");
    const many = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? one : other).systemLog.note([login(`person ${index}`)]),
    );
    await Promise.all(many);
    assert.deepEqual(seqs(await emitted(other)), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.equal((await emitted(one)).at(-1)?.type, "house.opened");
    assert.deepEqual(await one.upkeep.verify(), []);
    const page = await other.readRun(SYSTEM_LOG, 0, 100);
    assert.equal(page?.head, 11);
  });

  test(`${name} [U1a] the system log is no session: no list, count or head has it`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.start(journal);
    await journal.systemLog.note([rotated]);
    const listed = await journal.reads.sessions({ limit: 100, offset: 0 });
    assert.deepEqual(
      listed.map(({ session_id }) => session_id),
      ["s1"],
    );
    assert.equal((await journal.reads.sessionSummaries({ limit: 10, offset: 0 })).total, 1);
    assert.deepEqual([...(await journal.reads.sessionHeads()).keys()], ["s1"]);
    await journal.upkeep.rebuild();
    assert.equal((await journal.reads.sessions({ limit: 100, offset: 0 })).length, 1);
    assert.deepEqual(seqs(await emitted(journal)), [2, 1], "its lists are made anew too");
  });

  test(`${name} [U2a] events of the system log are found by type, author and time, page by page`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (const by of ["ann", "bob", "ann"]) await journal.systemLog.note([login(by), rotated]);
    const all = await emitted(journal);
    assert.deepEqual(seqs(await emitted(journal, { types: ["login.succeeded"] })), [6, 4, 2]);
    assert.deepEqual(
      seqs(await emitted(journal, { types: ["token.rotated", "login.failed"] })),
      [7, 5, 3],
    );
    assert.deepEqual(await emitted(journal, { types: [] }), []);
    assert.deepEqual(seqs(await emitted(journal, { by: "ann" })), [6, 2]);
    assert.deepEqual(seqs(await emitted(journal, { limit: 2 })), [7, 6]);
    assert.deepEqual(seqs(await emitted(journal, { limit: 2, before: 6 })), [5, 4]);
    const at = all[2]?.created_at ?? 0;
    assert.ok((await emitted(journal, { since: at })).every(({ created_at }) => created_at >= at));
    assert.ok((await emitted(journal, { until: at })).every(({ created_at }) => created_at < at));
  });

  test(`${name} [U1] an event that does not fit is refused, and nothing of it is kept`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const wrong = { type: "login.succeeded", payload: { by: "" } } as unknown as SystemDraft;
    await assert.rejects(journal.systemLog.note([rotated, wrong]), TypeError);
    const foreign = { type: "done", payload: {} } as unknown as SystemDraft;
    await assert.rejects(journal.systemLog.note([foreign]), TypeError);
    assert.deepEqual(await emitted(journal), []);
  });

  test(`${name} [U3] an approval that counted is in the system log, one that came late is not`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
    const [request] = await journal.reads.pending({});
    assert.ok(request);
    const ids = { runId, approvalId: request.request_id };
    const plan_hash = request.plan_hash ?? "";
    await journal.commands.respondApproval(ids, { choice: "once", plan_hash, by: "ann" });
    await journal.commands.respondApproval(ids, { choice: "deny", by: "bob" });
    const [answered, ...rest] = await emitted(journal, { types: ["approval.answered"] });
    assert.deepEqual(rest, []);
    assert.deepEqual(answered?.payload, {
      by: "ann",
      session_id: "s1",
      run_id: runId,
      request_id: request.request_id,
      choice: "once",
      edited: false,
    });
  });

  test(`${name} [U3] yolo and new rules are in the system log, a new title is not`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.start(journal);
    await journal.commands.updateSession("s1", { yolo: true, pinned: true });
    await journal.commands.updateSession("s1", { pinned: false });
    await journal.commands.updateTitle("s1", { title: "Other" });
    const changes = await emitted(journal, { types: ["settings.changed"] });
    assert.deepEqual(
      changes.map(({ payload }) => payload),
      [{ by: "person", section: "session", subject: "s1", changed: ["yolo"] }],
    );
  });
}
