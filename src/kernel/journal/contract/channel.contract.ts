// W5, W8: a message of a text-only device is accepted once, and answers the pending request that it is meant for.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { ChannelText } from "../../events/commands.ts";
import type { Draft } from "../../events/events.ts";
import type { Journal } from "../journal.ts";
import { MAX_WAITING } from "../admit/queue.ts";
import * as s from "./store.contract.ts";

let count = 0;
function take(journal: Journal, text: string, more: Partial<ChannelText> = {}) {
  const message_id = `k${(count += 1)}`;
  const said = { session_id: "s1", message_id, text, source: "terminal", ...more };
  return journal.commands.takeChannelMessage(said, s.DEFAULTS);
}

const headOf = async (journal: Journal) => (await journal.reads.session("s1"))?.seq;

/** A run of s1 that waits for what `drafts` ask. */
async function waiting(store: s.Store, ...drafts: Draft[]) {
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), ...drafts);
  return { journal, runId, claim };
}

const resolved = (journal: Journal, runId: string) =>
  s.payloadsOf(journal, runId, "approval.resolved");

export function channelContract(name: string, open: s.OpenStore): void {
  test(`${name} [G16, C17] files of a message are in the run it starts, and must be here`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const blob = journal.blobs.create();
    await blob.write(Buffer.from("A"));
    const file = { name: "a.txt", media_type: "text/plain", ...(await blob.finish()) };
    const missing = { ...file, sha256: "0".repeat(64) };
    await assert.rejects(
      take(journal, "look", { attachments: [missing] }),
      /was not uploaded here/,
    );
    const { message } = await take(journal, "look", { attachments: [file] });
    const [said] = await s.payloadsOf(journal, message.run_id, "message.user");
    assert.deepEqual((said as { attachments: unknown }).attachments, [file]);
  });

  test(`${name} [W8, C2] a message starts one run, whoever sends it how often at once`, async () => {
    await using store = await open();
    const journals = [await store.connect(), await store.connect()];
    const more = { message_id: "once", title: "Bridge", metadata: { device: "d1" } };
    const [journal] = journals as [Journal];
    const taken = await Promise.all(
      [0, 1, 0, 1, 1, 0].map((by) => take(journals[by] as Journal, "ahoy", more)),
    );
    const [first, ...others] = taken.filter(({ duplicate }) => !duplicate);
    assert.ok(first);
    assert.equal(others.length, 0);
    const { message } = first;
    assert.deepEqual(message, {
      session_id: "s1",
      message_id: "once",
      text_hash: hash("sha256", "ahoy"),
      run_id: message.run_id,
      after_seq: 0,
      replied_at: null,
    });
    for (const each of taken) {
      assert.deepEqual(each, { duplicate: each !== first, sameText: true, message });
    }
    assert.deepEqual(
      (await journal.reads.runsOf("s1")).map(({ run_id, prompt }) => [run_id, prompt]),
      [[message.run_id, "ahoy"]],
    );
    const session = await journal.reads.session("s1");
    assert.deepEqual([session?.title, session?.source], ["Bridge", "terminal"]);
    const [queued] = await s.payloadsOf(journal, message.run_id, "run.queued");
    assert.deepEqual(
      [queued?.["source"], queued?.["metadata"], queued?.["message_id"]],
      ["terminal", { device: "d1" }, "once"],
    );
  });

  test(`${name} [W8] of a known id with other words nothing is taken`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const first = await take(journal, "ahoy", { message_id: "k" });
    const head = await headOf(journal);
    const other = await take(journal, "avast", { message_id: "k" });
    assert.deepEqual(other, { duplicate: true, sameText: false, message: first.message });
    assert.equal(await headOf(journal), head);
    const elsewhere = await take(journal, "avast", { message_id: "k", session_id: "s2" });
    assert.equal(elsewhere.duplicate, false, "another session's ids are its own");
  });

  test(`${name} [W8, C2] a device's ids are not those of other windows`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal, { message: "by hand", message_id: "k1" });
    const { duplicate, message } = await take(journal, "by device", { message_id: "k1" });
    assert.equal(duplicate, false);
    assert.notEqual(message.run_id, runId);
    const again = { session_id: "s1", message: "by hand", message_id: "k1" };
    assert.equal((await journal.commands.startRun(again, s.DEFAULTS)).run_id, runId);
  });

  test(`${name} [W8] what was not replied to is listed until it is, oldest first, and kept`, async () => {
    await using store = await open();
    const journal = await store.connect();
    assert.equal(await journal.reads.channelMessage("s1", "nobody"), undefined);
    const taken = [];
    for (const message_id of ["b", "c", "a"]) {
      taken.push((await take(journal, message_id, { message_id })).message);
    }
    await take(journal, "elsewhere", { session_id: "s2" });
    const listed = async () => (await journal.reads.unreplied("s1")).map((each) => each.message_id);
    assert.deepEqual(await journal.reads.unreplied("s1"), taken);
    await journal.commands.markReplied({ session_id: "s1", message_id: "b" });
    assert.deepEqual(await listed(), ["c", "a"]);
    const marked = await journal.reads.channelMessage("s1", "b");
    assert.ok(marked?.replied_at);
    await journal.commands.markReplied({ session_id: "s1", message_id: "b" });
    assert.deepEqual(
      await journal.reads.channelMessage("s1", "b"),
      marked,
      "the first time counts",
    );
    assert.deepEqual((await take(journal, "b", { message_id: "b" })).message, marked);
    await journal.upkeep.rebuild();
    assert.deepEqual(await listed(), ["c", "a"]);
    await journal.commands.markReplied({ session_id: "s1", message_id: "nobody" });
  });

  test(`${name} [W8] sessions below a peer's with something unreplied are found, and no others`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const ids = ["ch:local:p_1:b", "ch:local:p_1:a", "ch:local:p_1:c:d", "ch:local:p_1"];
    const others = [
      "ch:local:px1:a",
      "ch:local:p_12",
      "ch:local:p_1;",
      "ch:local:p_1.:a",
      "ch:local",
    ];
    for (const session_id of [...ids, ...others]) await take(journal, "ahoy", { session_id });
    await take(journal, "again", { session_id: "ch:local:p_1:b", message_id: "k" });
    const under = (limit: number) => journal.reads.unrepliedUnder("ch:local:p_1", limit);
    assert.deepEqual(await under(10), ids.slice(0, 3));
    assert.deepEqual(await under(2), ids.slice(0, 2));
    const [first] = await journal.reads.unreplied("ch:local:p_1:a");
    assert.ok(first);
    await journal.commands.markReplied(first);
    assert.deepEqual(await under(2), ["ch:local:p_1:b", "ch:local:p_1:c:d"]);
    assert.deepEqual(await journal.reads.unrepliedUnder("ch:local:%", 10), []);
  });

  test(`${name} [W5, C5] a question is answered by the text, and the reply comes after it`, async () => {
    await using store = await open();
    const { journal, runId } = await waiting(store, d.clarifyAsked("cl", null));
    for (const text of ["somewhere in the middle"]) {
      const { message } = await take(journal, text);
      assert.deepEqual([message.run_id, message.after_seq], [runId, await headOf(journal)]);
      const [answer] = await s.payloadsOf(journal, runId, "clarify.resolved");
      assert.deepEqual([answer?.["response"], answer?.["by"]], [text, "terminal"]);
    }
    assert.deepEqual(await journal.reads.pending({}), []);
    assert.equal((await journal.reads.run(runId))?.status, "running");
    assert.equal((await journal.reads.runsOf("s1")).length, 1, "an answer is no run");
  });

  test(`${name} [W5] a choice is meant whatever its case`, async () => {
    await using store = await open();
    const { journal, runId } = await waiting(store, d.clarifyAsked("cl", null));
    await take(journal, " LEFT\n");
    const [answer] = await s.payloadsOf(journal, runId, "clarify.resolved");
    assert.equal(answer?.["response"], "left");
  });

  const meanings = {
    once: ["yes", "Y", "ok", "Approve", "allow", " once "],
    session: ["session", "SESSION"],
    deny: ["no", "n", "Deny", "reject"],
  };
  test(`${name} [W5, C5, C6] an approval is answered by words that clearly mean one of its choices`, async () => {
    for (const [choice, words] of Object.entries(meanings)) {
      for (const text of words) {
        await using store = await open();
        const { journal, runId } = await waiting(store, d.intent("c1"), d.approvalAsked("c1"));
        const { message } = await take(journal, text);
        const [answer] = await resolved(journal, runId);
        assert.deepEqual([answer?.["choice"], answer?.["by"]], [choice, "terminal"], text);
        assert.equal(message.after_seq, await headOf(journal));
      }
    }
  });

  test(`${name} [W5, C6] always is meant only where it is offered`, async () => {
    await using store = await open();
    const { journal, runId } = await waiting(store, d.intent("c1"), d.approvalAsked("c1"));
    await take(journal, "always");
    assert.deepEqual(await resolved(journal, runId), []);
    await using another = await open();
    const offered = await waiting(another, d.intent("c1"), d.allowAlways("c1"));
    await take(offered.journal, "no"); // it is not among the choices of this one
    assert.deepEqual(await resolved(offered.journal, offered.runId), []);
    await take(offered.journal, "Always");
    const [answer] = await resolved(offered.journal, offered.runId);
    assert.equal(answer?.["choice"], "always");
  });

  test(`${name} [W4, W5] other words to an approval answer nothing and start nothing`, async () => {
    await using store = await open();
    const { journal, runId } = await waiting(store, d.intent("c1"), d.approvalAsked("c1"));
    const head = await headOf(journal);
    for (const text of ["yes please", "what is it?", "nope", "once more", "deny it", "."]) {
      const { message, duplicate } = await take(journal, text);
      assert.deepEqual([message.run_id, message.after_seq, duplicate], [runId, head, false], text);
    }
    assert.equal(await headOf(journal), head, "nothing was written");
    assert.equal((await journal.reads.pending({})).length, 1);
  });

  test(`${name} [W5] an unknown outcome is settled by one of its choices only`, async () => {
    await using store = await open();
    const { journal, runId } = await waiting(store, d.intent("c1"), d.outcomeUnknown("c1"));
    await take(journal, "yes");
    assert.equal((await journal.reads.pending({})).length, 1);
    await take(journal, "Mark done");
    const [answer] = await s.payloadsOf(journal, runId, "clarify.resolved");
    assert.equal(answer?.["response"], "mark_done");
  });

  test(`${name} [W4, W5] a subagent's request is answered too, for its root run`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await waiting(store);
    await journal.startChild({ runId: "run_child", parent: claim, message: "look" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await journal.startChild({ runId: "run_below", parent: child, message: "closer" });
    const below = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, below, d.started(), d.clarifyAsked("cl_child", null));
    const { message } = await take(journal, "left");
    assert.deepEqual([message.run_id, message.after_seq], [runId, await headOf(journal)]);
    assert.equal((await s.payloadsOf(journal, "run_below", "clarify.resolved")).length, 1);
    assert.equal((await journal.reads.runsOf("s1")).length, 3);
  });

  test(`${name} [W5] of several the oldest is meant, and then the next`, async () => {
    await using store = await open();
    const { journal, claim, runId } = await waiting(store, d.clarifyAsked("z_first", null));
    s.later();
    await s.write(journal, claim, d.approvalAsked("c1"));
    await take(journal, "yes");
    const [question] = await s.payloadsOf(journal, runId, "clarify.resolved");
    assert.equal(question?.["clarify_id"], "z_first");
    assert.equal((await journal.reads.pending({})).length, 1, "the reply is the next request");
    await take(journal, "yes");
    assert.equal((await resolved(journal, runId)).length, 1);
  });

  test(`${name} [W5, C5] words answer only the request they are meant for, whatever they are`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await waiting(store, d.intent("c1"), d.approvalAsked("c1"));
    const head = await headOf(journal);
    for (const answers of [null, "ap_c0", "ap_c2", ""]) {
      for (const text of ["yes", "ok", "no", "session", "always", "left"]) {
        const { message, duplicate } = await take(journal, text, { answers });
        assert.deepEqual([message.run_id, message.after_seq, duplicate], [runId, head, false]);
      }
    }
    s.later();
    await s.write(journal, claim, d.clarifyAsked("cl", null));
    await take(journal, "left", { answers: null });
    assert.equal(
      (await journal.reads.pending({})).length,
      2,
      "a question takes any words, but not these",
    );
    assert.equal(
      (await journal.reads.runsOf("s1")).length,
      1,
      "its reply is the request, not a run",
    );
    await take(journal, "left", { answers: "cl" });
    const [question] = await s.payloadsOf(journal, runId, "clarify.resolved");
    assert.equal(
      question?.["response"],
      "left",
      "what was shown is meant, also when it is not first",
    );
    assert.deepEqual(await resolved(journal, runId), []);
    await take(journal, "yes", { answers: "ap_c1" });
    assert.equal((await resolved(journal, runId)).length, 1);
  });

  test(`${name} [W5, C3] what is said while a run works, ends or is stopped is a run of its own`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await waiting(store);
    const beside = await take(journal, "later");
    assert.notEqual(beside.message.run_id, runId);
    assert.equal(beside.message.after_seq, 0);
    assert.equal((await journal.reads.run(beside.message.run_id))?.status, "queued");
    await s.write(journal, claim, d.clarifyAsked("cl", null));
    await journal.commands.cancelRun(runId, {});
    const after = await take(journal, "left");
    assert.equal((await journal.reads.runsOf("s1")).at(-1)?.run_id, after.message.run_id);
    assert.deepEqual(await s.payloadsOf(journal, runId, "clarify.resolved"), []);
  });

  test(`${name} [W8, C3] what cannot be taken is not: the same message may come again`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    const bad = { session_id: runId, message_id: "k" };
    await assert.rejects(take(journal, "ahoy", bad), { code: "invalid_request" });
    assert.equal(await journal.reads.channelMessage(runId, "k"), undefined);
    for (let waits = 0; waits < MAX_WAITING; waits += 1) await s.start(journal);
    const full = { message_id: "k" };
    await assert.rejects(take(journal, "ahoy", full), { code: "rate_limited" });
    assert.equal(await journal.reads.channelMessage("s1", "k"), undefined);
    await journal.commands.cancelRun(runId, {});
    assert.equal((await take(journal, "ahoy", full)).duplicate, false);
  });
}
