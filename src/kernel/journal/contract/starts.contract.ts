// C2, J6, R16: starts with a window's own idempotency key, and starts that bring their own history.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { loadRun } from "../read/load-run.ts";
import * as s from "./store.contract.ts";

export function startsContract(name: string, open: s.OpenStore): void {
  test(`${name} [C2, J6, W8] a start is the same start when its window says so`, async () => {
    await using store = await open();
    const journals = [await store.connect(), await store.connect()];
    const [journal, other] = journals;
    assert.ok(journal && other);
    const same = { scope: "v1", key: "h1", body: '{"input":"hello"}' };
    const start = (by = journal, key = same, message_id?: string) => {
      const named = message_id === undefined ? {} : { message_id };
      return by.commands.startRun(
        { session_id: "s1", message: "hello", ...named },
        s.DEFAULTS,
        key,
      );
    };
    const outcomes = await Promise.all([start(), start(other), start(), start(other)]);
    const accepted = outcomes.filter(({ status }) => status === "accepted");
    assert.equal(accepted.length, 1);
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate", "duplicate"]);
    assert.equal(new Set(outcomes.map(({ run_id }) => run_id)).size, 1);
    assert.equal((await journal.reads.runsOf("s1")).length, 1);

    const conflict = { code: "idempotency_conflict" };
    await assert.rejects(start(journal, { ...same, body: "{}" }), conflict);
    const again = await start(journal, same, "k1");
    assert.equal(again.status, "duplicate", "its message id does not matter");
    assert.equal((await start(journal, { ...same, scope: "v2" })).status, "accepted");
    assert.equal((await start(journal, { ...same, key: "h2" })).status, "accepted");
    assert.equal((await journal.reads.runsOf("s1")).length, 3);
  });

  test(`${name} [C2, J6] a window's key is no message id, and no other command's`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const command = { session_id: "s1", message: "hello", message_id: "k1" };
    const same = { scope: "start:s1", key: "k1", body: JSON.stringify(command) };
    const first = await journal.commands.startRun(command, s.DEFAULTS);
    const second = await journal.commands.startRun(command, s.DEFAULTS, same);
    assert.deepEqual([first.status, second.status], ["accepted", "accepted"]);
    assert.equal((await journal.commands.startRun(command, s.DEFAULTS)).run_id, first.run_id);
    const [said] = await s.payloadsOf(journal, second.run_id ?? "", "message.user");
    assert.equal(said?.["message_id"], "k1", "the message still has its id");
  });

  test(`${name} [R16a] a run keeps the past it was started with, and so does its repetition`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const history = [
      { role: "user" as const, text: "before" },
      { role: "assistant" as const, text: "indeed" },
    ];
    const runId = await s.start(journal, { history });
    assert.deepEqual((await loadRun(journal, runId))?.history, history);
    await s.end(journal, await s.claimed(journal));
    const retried = await journal.commands.retry("s1", {});
    assert.deepEqual((await loadRun(journal, retried?.run_id ?? ""))?.history, history);
    await s.end(journal, await s.claimed(journal));
    const rerun = await journal.commands.rerun(retried?.run_id ?? "", { message: "else" });
    assert.deepEqual((await loadRun(journal, rerun?.run_id ?? ""))?.history, history);
    await s.end(journal, await s.claimed(journal));

    const plain = await s.start(journal, { history: [] });
    assert.equal((await loadRun(journal, plain))?.history, null, "an empty past is none");
    const [queued] = await s.payloadsOf(journal, plain, "run.queued");
    assert.equal(Object.hasOwn(queued ?? {}, "history"), false);
    assert.equal((await journal.reads.sessionSummary("s1"))?.messages, 2, "it was said elsewhere");
  });

  test(`${name} [R16, E9] a past that is too large to store starts nothing`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const history = Array.from({ length: 12 }, () => ({
      role: "user" as const,
      text: "x".repeat(100_000),
    }));
    const command = { session_id: "s1", message: "hello", history };
    await assert.rejects(journal.commands.startRun(command, s.DEFAULTS), { code: "too_large" });
    assert.equal(await journal.reads.session("s1"), undefined);
  });

  test(`${name} [C16] a side question runs like any other run and never counts for the conversation`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.said("m1.1", "hi"), d.done(5, "completed", "hi"));
    const aside = await s.start(journal, { message: "by the way", aside: true });
    const taken = await s.claimed(journal);
    assert.equal(taken.runId, aside);
    await s.write(journal, taken, d.started(), d.done(4, "completed", "yes?"));
    const [first, second] = await journal.reads.runsOf("s1");
    assert.equal(first?.rewound_at, null);
    assert.ok(second?.rewound_at, "from its beginning");
    // The next undo is of the conversation, not of the side question.
    const undone = await journal.commands.undo("s1", {});
    assert.equal(undone?.status, "accepted");
    assert.ok((await journal.reads.run(claim.runId))?.rewound_at);
    assert.equal((await journal.reads.sessionSummary("s1"))?.messages, 0);
  });
}
