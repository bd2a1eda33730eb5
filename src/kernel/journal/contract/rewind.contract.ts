// C11, C12, J6: undo, retry, rerun and compaction happen once, and only while no run is active.
import assert from "node:assert/strict";
import { test } from "node:test";
import { planHash } from "../admit/plan-hash.ts";
import * as s from "./store.contract.ts";

export function rewindContract(name: string, open: s.OpenStore): void {
  test(`${name} [C12c, J6] undo leaves the newest exchange out, once, and then the one before`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const [a, b] = [await s.exchange(journal, "a"), await s.exchange(journal, "b")];
    const outcomes = await Promise.all(
      [journal, other, journal].map((each) => each.commands.undo("s1", { command_id: "u1" })),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    const later = await store.connect();
    assert.equal((await later.commands.undo("s1", { command_id: "u1" }))?.status, "duplicate");
    assert.deepEqual(await s.payloadsOf(later, "s1", "session.rewound"), [
      { run_ids: [b], reason: "undo" },
    ]);
    assert.deepEqual(await s.typesOf(later, b), await s.typesOf(later, a), "it stays readable");
    const undone = async () =>
      (await later.reads.runsOf("s1"))
        .filter((run) => run.rewound_at !== null)
        .map((run) => run.run_id);
    assert.deepEqual(await undone(), [b]);
    assert.equal((await later.commands.undo("s1", {}))?.run_id, a);
    assert.deepEqual(await undone(), [a, b]);
    assert.equal((await later.commands.undo("s1", {}))?.status, "not_active");
    assert.equal(await later.commands.undo("nobody", {}), undefined);
    const kept = await s.lists(later);
    await later.upkeep.rebuild();
    assert.deepEqual(await s.lists(later), kept);
  });

  test(`${name} [C12c, J6] undo from a run on leaves it and all after it out, at once and once`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const [a, b, c] = [
      await s.exchange(journal, "a"),
      await s.exchange(journal, "b"),
      await s.exchange(journal, "c"),
    ];
    const command = { run_id: b, command_id: "u1" };
    const outcomes = await Promise.all(
      [journal, other].map((each) => each.commands.undo("s1", command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate"]);
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.rewound"), [
      { run_ids: [b, c], reason: "undo" },
    ]);
    for (const gone of [c, "nobody"]) {
      assert.equal((await journal.commands.undo("s1", { run_id: gone }))?.status, "not_active");
    }
    assert.equal((await journal.commands.undo("s1", {}))?.run_id, a);
  });

  test(`${name} [C12] while something runs or waits nothing is undone, retried or said again`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const a = await s.exchange(journal, "a");
    await s.start(journal, { message: "b" });
    const before = (await s.sessionEvents(journal)).length;
    for (const outcome of [
      await journal.commands.undo("s1", { command_id: "c" }),
      await journal.commands.retry("s1", { command_id: "c" }),
      await journal.commands.rerun(a, { message: "x", message_id: "c" }),
    ]) {
      assert.equal(outcome?.status, "conflict");
    }
    assert.equal((await s.sessionEvents(journal)).length, before);
    const racing = await Promise.all([journal.commands.undo("s1", {}), s.claimed(journal)]);
    assert.equal(racing[0]?.status, "conflict");
    await s.end(journal, racing[1]);
    assert.equal((await journal.commands.undo("s1", { command_id: "c" }))?.status, "accepted");
  });

  test(`${name} [C12, J6] retry asks again what was asked last, as it was last worded`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    await s.exchange(journal, "a");
    const wanted = {
      message: "b",
      message_id: "k1",
      instructions: "briefly",
      toolsets: ["files"],
      metadata: { ticket: 7 },
      attachments: [{ name: "a.png", media_type: "image/png" }],
      budget: { tokens: 500 },
    };
    const first = await s.start(journal, wanted);
    await journal.commands.editMessage({ runId: first, messageId: "k1" }, { text: "b, please" });
    await s.end(journal, await s.claimed(journal));

    const command = { model: "other/model", command_id: "r1" };
    const outcomes = await Promise.all(
      [journal, other, other].map((each) => each.commands.retry("s1", command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    const runId = outcomes[0]?.run_id ?? "";
    assert.deepEqual(outcomes[1]?.run_id, runId);
    const [said] = await s.payloadsOf(journal, runId, "message.user");
    assert.deepEqual([said?.["text"], said?.["attachments"]], ["b, please", wanted.attachments]);
    const [queued] = await s.payloadsOf(journal, runId, "run.queued");
    assert.deepEqual(
      [queued?.["instructions"], queued?.["toolsets"], queued?.["metadata"], queued?.["model"]],
      ["briefly", ["files"], { ticket: 7 }, "other/model"],
    );
    assert.deepEqual(
      (queued?.["budget"] as { tokens: number } | undefined)?.tokens,
      wanted.budget.tokens,
    );
    assert.equal((await journal.reads.session("s1"))?.model, "other/model");
    assert.deepEqual((await s.payloadsOf(journal, "s1", "session.rewound")).at(-1), {
      run_ids: [first],
      reason: "retry",
    });
  });

  test(`${name} [C12, J6] saying it differently leaves out that run and all after it`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const runs = [];
    for (const message of ["a", "b", "c"]) runs.push(await s.exchange(journal, message));
    const [, b = "", c = ""] = runs;
    const command = { message: "b!", message_id: "k1" };
    const outcomes = await Promise.all(
      [journal, other, other].map((each) => each.commands.rerun(b, command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.rewound"), [
      { run_ids: [b, c], reason: "edit" },
    ]);
    const [said] = await s.payloadsOf(journal, outcomes[0]?.run_id ?? "", "message.user");
    assert.deepEqual([said?.["text"], said?.["message_id"]], ["b!", "k1"]);
    await journal.commands.cancelRun(outcomes[0]?.run_id ?? "", {});
    assert.equal((await journal.commands.rerun(c, { message: "x" }))?.status, "not_active");
    assert.equal(await journal.commands.rerun("nobody", { message: "x" }), undefined);
  });

  test(`${name} [C11, C12] compressing is a run with one planned call; undo takes it along`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
    assert.equal((await journal.commands.compress("s1", {}))?.status, "not_active");
    const a = await s.exchange(journal, "a");
    const outcomes = await Promise.all(
      [journal, other].map((each) => each.commands.compress("s1", { focus: "names" })),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate"]);
    assert.equal(outcomes[0]?.run_id, outcomes[1]?.run_id);
    const runId = outcomes[0]?.run_id ?? "";
    assert.deepEqual(await s.typesOf(journal, runId), [
      "message.user",
      "run.queued",
      "tool.intent",
    ]);
    const [intent] = await s.payloadsOf(journal, runId, "tool.intent");
    const plan = { tool: "compress", arguments: { focus: "names" }, workspace: "/w" };
    assert.deepEqual(
      [intent?.["turn_id"], intent?.["call_id"], intent?.["plan"], intent?.["plan_hash"]],
      ["direct", "direct.c0", plan, planHash(plan)],
    );
    await s.end(journal, await s.claimed(journal));
    assert.equal((await journal.commands.undo("s1", {}))?.run_id, a);
    assert.deepEqual((await s.payloadsOf(journal, "s1", "session.rewound"))[0]?.["run_ids"], [
      a,
      runId,
    ]);
    assert.equal(await journal.commands.compress("nobody", {}), undefined);
  });
}
