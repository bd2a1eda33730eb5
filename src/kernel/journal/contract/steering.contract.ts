// C8, C14, J6: messages, their order and settings are changed once, and never after a model has read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { Journal } from "../journal.ts";
import { MAX_WAITING } from "../admit/queue.ts";
import * as s from "./store.contract.ts";

const queueOf = async (journal: Journal) => {
  const items = (await s.payloadsOf(journal, "s1", "queue.updated")).at(-1)?.["items"];
  return (items as { run_id: string; message_id: string; text: string }[] | undefined) ?? [];
};
export function steeringContract(name: string, open: s.OpenStore): void {
  editing(name, open);
  moving(name, open);
  settings(name, open);
}

function editing(name: string, open: s.OpenStore): void {
  test(`${name} [C3c, B4] what waits in a session is bounded, and a refusal changes nothing`, async () => {
    await using store = await open();
    const { journal, runId } = await s.withRun(store);
    for (let index = 0; index < MAX_WAITING; index += 1) await s.start(journal, { message: "w" });
    const before = (await s.sessionEvents(journal)).length;
    const start = { session_id: "s1", message: "one more", model: "demo/other", message_id: "k" };
    const message = { message: "one more", mode: "queue", message_id: "k" } as const;
    assert.equal((await journal.commands.startRun(start, s.DEFAULTS)).status, "conflict");
    assert.equal((await journal.commands.queueMessage(runId, message))?.status, "conflict");
    assert.equal((await s.sessionEvents(journal)).length, before);
    const [first] = await queueOf(journal);
    await journal.commands.cancelRun(first?.run_id ?? "", {});
    assert.equal(
      (await journal.commands.startRun(start, s.DEFAULTS)).status,
      "accepted",
      "there is room",
    );
  });

  test(`${name} [C8, J6] a queued message is edited once, by whoever asks, and stays so`, async () => {
    await using store = await open();
    const { journal } = await s.withRun(store);
    const other = await store.connect();
    const runId = await s.start(journal, { message: "wait", message_id: "k1" });
    const ids = { runId, messageId: "k1" };
    assert.deepEqual(await queueOf(journal), [{ run_id: runId, message_id: "k1", text: "wait" }]);

    const command = { text: "wait more", command_id: "e1" };
    const outcomes = await Promise.all(
      [journal, other, journal, other].map((each) => each.commands.editMessage(ids, command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate", "duplicate"]);
    const again = journal.commands.editMessage(ids, { text: "else", command_id: "e1" });
    await assert.rejects(again, { code: "idempotency_conflict" });
    assert.equal(
      (await journal.commands.editMessage(ids, { text: "wait more" }))?.status,
      "duplicate",
    );

    const later = await store.connect();
    assert.equal((await later.commands.editMessage(ids, command))?.status, "duplicate");
    assert.equal((await later.reads.run(runId))?.prompt, "wait more");
    assert.deepEqual(await s.payloadsOf(later, runId, "message.edited"), [
      { message_id: "k1", text: "wait more" },
    ]);
    assert.equal((await queueOf(later))[0]?.text, "wait more");
    assert.equal(
      await later.commands.editMessage({ runId, messageId: "k2" }, { text: "a" }),
      undefined,
    );
    assert.equal(
      await later.commands.editMessage({ runId: "s1", messageId: "k1" }, { text: "a" }),
      undefined,
    );
  });

  test(`${name} [C8, C4] a queued message that is taken back ends its run, once`, async () => {
    await using store = await open();
    const { journal } = await s.withRun(store);
    const other = await store.connect();
    const runId = await s.start(journal, { message: "wait", message_id: "k1" });
    const ids = { runId, messageId: "k1" };
    const outcomes = await Promise.all(
      [journal, other].map((each) => each.commands.editMessage(ids, { text: null })),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate"]);
    assert.equal((await journal.reads.run(runId))?.status, "cancelled");
    assert.deepEqual((await s.typesOf(journal, runId)).slice(-3), [
      "message.edited",
      "status",
      "done",
    ]);
    const last = (await s.runEvents(journal, runId)).at(-1);
    assert.deepEqual(last?.type === "done" && last.payload.last_seq, last?.seq);
    assert.deepEqual(await queueOf(journal), []);
    assert.equal((await journal.commands.editMessage(ids, { text: "back" }))?.status, "not_active");
    await s.checkSession(journal, "s1");
  });

  test(`${name} [C8] a steer is edited until a model has read it`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.turnStarted(1));
    await journal.commands.queueMessage(runId, {
      message: "left",
      mode: "steer",
      message_id: "k1",
    });
    await s.write(journal, claim, { type: "x.note", payload: { type: "turn.started" } });
    const ids = { runId, messageId: "k1" };
    assert.equal((await journal.commands.editMessage(ids, { text: "right" }))?.status, "accepted");
    assert.equal((await journal.commands.editMessage(ids, { text: null }))?.status, "accepted");
    assert.equal((await journal.commands.editMessage(ids, { text: "left" }))?.status, "not_active");
    assert.equal((await journal.reads.run(runId))?.ended_at, null, "the run goes on");

    await journal.commands.queueMessage(runId, { message: "up", mode: "steer", message_id: "k2" });
    await s.write(journal, claim, d.turnStarted(2));
    const late = await journal.commands.editMessage({ runId, messageId: "k2" }, { text: "down" });
    assert.deepEqual([late?.status, late?.accepted], ["not_active", false]);
    const asked = await s.runEvents(journal, runId);
    const start = asked.flatMap((e) => (e.type === "run.queued" ? [e.payload.message_id] : []));
    const begun = { runId, messageId: start[0] ?? "" };
    assert.equal((await journal.commands.editMessage(begun, { text: "x" }))?.status, "not_active");
  });

  test(`${name} [C8b] between an edit and the turn that would read it, one comes first`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const other = await store.connect();
    await s.write(journal, claim, d.started());
    for (let round = 1; round <= 20; round += 1) {
      const messageId = `k${round}`;
      await journal.commands.queueMessage(runId, {
        message: "a",
        mode: "steer",
        message_id: messageId,
      });
      const expectSeq = (await journal.reads.run(runId))?.seq ?? 0;
      const [edited, turn] = await Promise.all([
        other.commands.editMessage({ runId, messageId }, { text: "b" }),
        journal.append(claim, [d.turnStarted(round)], { expectSeq }),
      ]);
      assert.equal(turn.ok, edited?.status === "not_active");
      if (!turn.ok) await s.write(journal, claim, d.turnStarted(round));
    }
  });

  test(`${name} [C8b, R10] what a summary was made of was read`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.turnStarted(1), d.turnCompleted(1));
    const steer = (message_id: string) =>
      journal.commands.queueMessage(runId, { message: "up", mode: "steer", message_id });
    await steer("before");
    await s.write(journal, claim, d.compacting);
    await steer("after");
    const edit = async (messageId: string, text: string | null) =>
      (await journal.commands.editMessage({ runId, messageId }, { text }))?.status;
    assert.equal(await edit("before", null), "not_active");
    assert.equal(await edit("after", "down"), "accepted", "it is in no summary");
    await s.write(journal, claim, d.compacted("they want up", 1));
    assert.equal(await edit("before", "down"), "not_active");
    assert.equal(await edit("after", null), "accepted");
  });
}

function moving(name: string, open: s.OpenStore): void {
  test(`${name} [C8a, J5, J7] what waits runs in the order it was moved to`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const other = await store.connect();
    const start = (message: string) => s.start(journal, { message });
    const [a, b, c] = [await start("a"), await start("b"), await start("c")];

    const command = { before: a, command_id: "m1" };
    const outcomes = await Promise.all(
      [journal, other, journal].map((each) => each.commands.moveQueued(c, command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    assert.deepEqual(
      (await queueOf(other)).map(({ text }) => text),
      ["c", "a", "b"],
    );
    assert.equal((await journal.commands.moveQueued(c, { before: a }))?.status, "duplicate");
    assert.equal((await journal.commands.moveQueued(a, { before: null }))?.status, "accepted");
    const fresh = await start("d");
    assert.equal(
      (await journal.commands.moveQueued(runId, { before: null }))?.status,
      "not_active",
    );
    assert.equal((await journal.commands.moveQueued(a, { before: runId }))?.status, "not_active");
    const elsewhere = await s.start(journal, { session_id: "s2" });
    for (const before of [elsewhere, "nobody"]) {
      await assert.rejects(journal.commands.moveQueued(a, { before }), { code: "invalid_request" });
    }
    assert.equal(await journal.commands.moveQueued("nobody", { before: null }), undefined);

    const kept = await s.lists(journal);
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), kept);
    const later = await store.connect();
    await later.commands.cancelRun(elsewhere, {});
    await s.end(later, claim);
    for (const expected of [c, b, a, fresh]) {
      const next = await s.claimed(later);
      assert.equal(next.runId, expected);
      assert.equal((await later.reads.session("s1"))?.active_run_id, expected);
      await s.end(later, next);
    }
    await s.checkSession(later, "s1");
  });

  test(`${name} [C8, J5] what nobody has begun can be overtaken, also when it is next`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const a = await s.start(journal, { message: "a" });
    const b = await s.start(journal, { message: "b" });
    assert.equal((await journal.commands.moveQueued(b, { before: a }))?.status, "accepted");
    assert.equal((await journal.reads.session("s1"))?.active_run_id, b);
    assert.deepEqual(
      (await journal.reads.runsOf("s1")).map(({ run_id }) => run_id),
      [b, a],
    );
    const kept = await s.lists(journal);
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), kept);
    assert.equal((await s.claimed(journal)).runId, b);
    assert.equal((await journal.commands.moveQueued(b, { before: null }))?.status, "not_active");
  });
}

function settings(name: string, open: s.OpenStore): void {
  test(`${name} [C14, J6] settings change by one event that names what really changed`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
    const rule: Rule = { effect: "deny", tool: "exec", argv: ["rm"] };
    const command = { model: "demo/demo", yolo: true, permissions: [rule], command_id: "c1" };
    const outcomes = await Promise.all(
      [journal, other, journal].map((each) => each.commands.updateSession("s1", command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.updated"), [
      { yolo: true, permissions: [rule] },
    ]);
    assert.equal((await journal.commands.updateSession("s1", { yolo: true }))?.status, "duplicate");
    const later = await store.connect();
    assert.equal((await later.reads.session("s1"))?.yolo, true);
    assert.deepEqual(await later.reads.rules("s1"), [rule]);
    await assert.rejects(later.commands.updateSession("s1", { project_id: "nobody" }), {
      code: "invalid_request",
    });
    assert.equal(await later.commands.updateSession("nobody", { yolo: true }), undefined);
    await later.upkeep.rebuild();
    assert.equal((await later.reads.session("s1"))?.yolo, true);
    assert.equal((await later.commands.updateSession("s1", { yolo: false }))?.status, "accepted");
  });

  test(`${name} [C14] starting with another model and profile switches the session, by one event`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.start(journal, {});
    const runId = await s.start(journal, { model: "a/b", profile: "work" });
    await s.start(journal, { model: "a/b", profile: "work" });
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.updated"), [
      { model: "a/b", profile: "work" },
    ]);
    const run = await journal.reads.run(runId);
    assert.deepEqual([run?.model, run?.profile], ["a/b", "work"]);
  });
}
