// C1 to C4, C7, J6, X1, X2: commands are admitted once, whoever sends them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { done, started, token } from "../../../../test/support/drafts.ts";
import { Outcome } from "../../events/commands.ts";
import * as s from "./store.contract.ts";

export function commandsContract(name: string, open: s.OpenStore): void {
  test(`${name} [C1] a command answers with an outcome that names the event it became`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const created = await journal.commands.createSession(
      { session_id: "s1", title: "One" },
      s.DEFAULTS,
    );
    const begun = await journal.commands.startRun({ session_id: "s1", message: "go" }, s.DEFAULTS);
    const titled = await journal.commands.updateTitle("s1", { title: "Two" });
    const cancelled = await journal.commands.cancelRun(begun.run_id ?? "", {});
    for (const outcome of [created, begun, titled, cancelled]) {
      assert.ok(outcome);
      assert.deepEqual(Outcome.strict().parse(outcome), outcome);
      assert.deepEqual([outcome.accepted, outcome.status], [true, "accepted"]);
      const logId = s.eventIdOf(outcome).replace(/:\d+$/, "");
      const ids = (await s.runEvents(journal, logId)).map(({ event_id }) => event_id);
      assert.ok(ids.includes(s.eventIdOf(outcome)));
    }
  });

  test(`${name} [C1] what is not there has no outcome`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    const by = "person";
    for (const id of ["nobody", "s1"]) {
      assert.equal(await journal.commands.cancelRun(id, {}), undefined);
      assert.equal(
        await journal.commands.queueMessage(id, { message: "a", mode: "steer" }),
        undefined,
      );
      const approval = { runId: id, approvalId: "ap" };
      assert.equal(
        await journal.commands.respondApproval(approval, { choice: "once", by }),
        undefined,
      );
    }
    const clarify = { runId, clarifyId: "cl" };
    assert.equal(await journal.commands.respondClarify(clarify, { response: "a", by }), undefined);
    for (const id of ["nobody", runId]) {
      assert.equal(await journal.commands.updateTitle(id, { title: "a" }), undefined);
      assert.equal(await journal.commands.updateGoal(id, { action: "status" }), undefined);
      assert.equal(await journal.reads.session(id), undefined);
      assert.deepEqual(await journal.reads.runsOf(id), []);
    }
    for (const id of ["nobody", "s1"]) assert.equal(await journal.reads.run(id), undefined);
    assert.equal(await journal.reads.snapshot("nobody"), undefined);
  });

  test(`${name} [C2, X2, J6] a start repeated with its message id is the first one`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const command = { session_id: "s1", message: "go", message_id: "k1" };
    const outcomes = await Promise.all(
      [journal, other, journal, other, journal].map((each) =>
        each.commands.startRun(command, s.DEFAULTS),
      ),
    );

    const accepted = outcomes.filter(({ status }) => status === "accepted");
    assert.equal(accepted.length, 1);
    for (const outcome of outcomes) {
      assert.equal(outcome.accepted, true);
      assert.deepEqual(
        [outcome.run_id, outcome.event_id],
        [accepted[0]?.run_id, accepted[0]?.event_id],
      );
    }
    assert.equal((await journal.reads.runsOf("s1")).length, 1);
    const later = await store.connect();
    assert.equal((await later.commands.startRun(command, s.DEFAULTS)).status, "duplicate");
  });

  test(`${name} [J6b] the same key with another body is a conflict and does nothing`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal, { message_id: "k1" });
    const again = s.start(journal, { message_id: "k1", message: "something else" });
    await assert.rejects(again, { code: "idempotency_conflict" });
    await journal.commands.cancelRun(runId, { command_id: "k2", reason: "a" });
    await assert.rejects(journal.commands.cancelRun(runId, { command_id: "k2", reason: "b" }), {
      code: "idempotency_conflict",
    });
    assert.equal((await journal.reads.runsOf("s1")).length, 1);
    const elsewhere = { session_id: "s2", message: "go", message_id: "k1" };
    assert.equal((await journal.commands.startRun(elsewhere, s.DEFAULTS)).status, "accepted");
  });

  test(`${name} [J6] a key that was refused is free again`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal, { session_id: "s2" });
    const asRun = journal.commands.startRun(
      { session_id: runId, message: "a", message_id: "k1" },
      s.DEFAULTS,
    );
    await assert.rejects(asRun, { code: "invalid_request" });
    const pause = { action: "pause", command_id: "g1" } as const;
    assert.equal((await journal.commands.updateGoal("s2", pause))?.status, "not_active");
    await journal.commands.updateGoal("s2", { action: "set", text: "ship" });
    assert.equal((await journal.commands.updateGoal("s2", pause))?.status, "accepted");
    assert.equal((await journal.commands.updateGoal("s2", pause))?.status, "duplicate");
  });

  test(`${name} [C3a] a further start waits as a run of its own, and can be cancelled there`, async () => {
    await using store = await open();
    const { journal, runId } = await s.withRun(store);
    const waiting = await s.start(journal, { message: "later" });
    const queued = await journal.commands.queueMessage(runId, {
      message: "even later",
      mode: "queue",
    });
    assert.equal(queued?.status, "accepted");

    const runs = await journal.reads.runsOf("s1");
    assert.deepEqual(
      runs.map(({ run_id, status, prompt }) => [run_id, status, prompt]),
      [
        [runId, "queued", "hello"],
        [waiting, "queued", "later"],
        [queued.run_id, "queued", "even later"],
      ],
    );
    const last = (await s.runEvents(journal, "s1")).at(-1);
    assert.ok(last?.type === "queue.updated");
    assert.deepEqual(
      last.payload.items.map(({ run_id }) => run_id),
      [waiting, queued.run_id],
    );

    assert.equal((await journal.commands.cancelRun(waiting, {}))?.status, "accepted");
    assert.equal((await journal.reads.run(waiting))?.status, "cancelled");
    assert.equal((await s.typesOf(journal, waiting)).at(-1), "done");
    assert.equal((await journal.reads.session("s1"))?.active_run_id, runId);
  });

  test(`${name} [C3b] a steer joins the running run, once, and not after its end`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const steer = { message: "left", mode: "steer", message_id: "k1" } as const;
    const both = await Promise.all([
      journal.commands.queueMessage(runId, steer),
      journal.commands.queueMessage(runId, steer),
    ]);
    assert.deepEqual(s.statuses(both), ["accepted", "duplicate"]);
    const messages = (await s.typesOf(journal, runId)).filter((type) => type === "message.user");
    assert.equal(messages.length, 2);

    await s.write(journal, claim, done(4));
    assert.equal((await journal.commands.queueMessage(runId, steer))?.status, "duplicate");
    const late = await journal.commands.queueMessage(runId, { message: "right", mode: "steer" });
    assert.equal(late?.status, "not_active");
  });

  test(`${name} [C4, X1] of many cancels one is accepted, the others are duplicates`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const other = await store.connect();
    const cancels = await Promise.all(
      [journal, other, journal, other].map((each) => each.commands.cancelRun(runId, {})),
    );
    assert.deepEqual(s.statuses(cancels), ["accepted", "duplicate", "duplicate", "duplicate"]);
    assert.equal((await journal.reads.run(runId))?.status, "cancelling");
    await s.write(journal, claim, done(4, "cancelled"));
    assert.equal((await journal.commands.cancelRun(runId, {}))?.status, "not_active");
  });

  test(`${name} [C4, J4] an accepted cancel is never overlooked by an end at the same moment`, async () => {
    for (const order of ["cancel first", "end first"]) {
      await using store = await open();
      const { journal, runId, claim } = await s.withRun(store);
      const seq = await s.write(journal, claim, started(), token("m1", "partial"));
      const end = () => journal.append(claim, [done(seq + 1)], { expectSeq: seq });
      const cancel = () => journal.commands.cancelRun(runId, {});
      const [ended, cancelled] =
        order === "end first"
          ? await Promise.all([end(), cancel()])
          : await Promise.all([cancel(), end()]).then(([a, b]) => [b, a] as const);

      assert.notEqual(ended.ok, cancelled?.accepted, "exactly one of them holds");
      const status = (await journal.reads.run(runId))?.status;
      assert.equal(status, ended.ok ? "completed" : "cancelling");
      assert.ok((await s.typesOf(journal, runId)).includes("token.delta"), "partial text stays");
    }
  });

  test(`${name} [C4] a run nobody ever claimed ends with its cancel`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal);
    const outcome = await journal.commands.cancelRun(runId, { reason: "changed my mind" });
    assert.equal(outcome?.event_id, `${runId}:4`);
    const last = (await s.runEvents(journal, runId)).at(-1);
    assert.ok(last?.type === "done");
    assert.deepEqual(
      [last.payload.status, last.payload.last_seq, last.terminal],
      ["cancelled", 4, true],
    );
    assert.equal(await s.claimNext(journal), undefined);
  });

  test(`${name} [C7a] goals: set, edit, pause, resume, clear, status; repeating is a duplicate`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
    const act = async (action: "set" | "edit" | "pause" | "resume" | "clear", text?: string) => {
      const command = text === undefined ? { action } : { action, text };
      const outcome = await journal.commands.updateGoal("s1", command);
      return [outcome?.status, (await journal.reads.session("s1"))?.goal];
    };
    const goal = (text: string, status: string) => ({ text, status });

    for (const action of ["pause", "resume", "clear"] as const) {
      assert.deepEqual(await act(action), ["not_active", null]);
    }
    assert.deepEqual(await act("edit", "ship"), ["not_active", null]);
    assert.deepEqual(await act("set", "ship"), ["accepted", goal("ship", "active")]);
    assert.deepEqual(await act("set", "ship"), ["duplicate", goal("ship", "active")]);
    assert.deepEqual(await act("pause"), ["accepted", goal("ship", "paused")]);
    assert.deepEqual(await act("pause"), ["duplicate", goal("ship", "paused")]);
    assert.deepEqual(await act("edit", "dock"), ["accepted", goal("dock", "active")]);
    assert.deepEqual(await act("resume"), ["duplicate", goal("dock", "active")]);
    const asked = await journal.commands.updateGoal("s1", { action: "status" });
    assert.deepEqual(asked?.payload, goal("dock", "active"));
    assert.deepEqual(await act("clear"), ["accepted", null]);
    assert.deepEqual(await act("clear"), ["not_active", null]);
    await assert.rejects(act("set"), { code: "invalid_request" });
  });

  test(`${name} [X1] sessions are created once under concurrency`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const outcomes = await Promise.all(
      [journal, other, journal, other].map((each) =>
        each.commands.createSession({ session_id: "s1" }, s.DEFAULTS),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === "accepted").length, 1);
    assert.deepEqual(await s.typesOf(journal, "s1"), ["session.created"]);
  });

  test(`${name} [A3] a login code works once, and not after its time`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    await journal.registry.addLoginCode("h1", 60);
    await journal.registry.addLoginCode("h2", -1);
    const taken = await Promise.all(
      [journal, other, journal, other].map((each) => each.registry.takeLoginCode("h1")),
    );
    assert.deepEqual(taken.toSorted(), ["taken", "unknown", "unknown", "unknown"]);
    assert.equal(await journal.registry.takeLoginCode("h2"), "expired");
    assert.equal(await journal.registry.takeLoginCode("h2"), "unknown", "it is said once");
    assert.equal(await journal.registry.takeLoginCode("h3"), "unknown");
  });
}
