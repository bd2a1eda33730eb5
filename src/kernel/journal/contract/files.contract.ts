// T2, T3, C11, J7: file changes are stored with the run that made them, and a run rolls them back.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Journal } from "../journal.ts";
import { planHash } from "../admit/plan-hash.ts";
import * as s from "./store.contract.ts";

const intentOf = async (journal: Journal, runId: string | null | undefined) => {
  const [intent] = await s.payloadsOf(journal, runId ?? "", "tool.intent");
  const plan = intent?.["plan"] as { tool: string; arguments: never; workspace: string };
  assert.equal(intent?.["plan_hash"], planHash(plan));
  return { ...intent, plan, arguments: plan.arguments as Record<string, unknown> };
};

/** Run a wrote a.txt, its child b.txt; run c wrote a.txt and c.txt. */
async function changed(journal: Journal) {
  const a = await s.start(journal, { message: "a" });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.checkpoint("c1"), d.changed("c1", "a.txt"));
  await journal.startChild({ runId: `${a}.x`, parent: claim, message: "part" });
  const child = await s.claimed(journal, { childrenOnly: true });
  await s.write(journal, child, d.started(), d.changed("c9", "b.txt"));
  for (const each of [child, claim]) await s.end(journal, each);
  const c = await s.exchange(journal, "c", d.changed("c2", "a.txt", "c.txt"));
  return { a, c };
}

export function filesContract(name: string, open: s.OpenStore): void {
  reading(name, open);
  rollingBack(name, open);
}

function reading(name: string, open: s.OpenStore): void {
  test(`${name} [T2, J7] changes are known by run with its subagents, and by session`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const { a, c } = await changed(journal);
    await journal.commands.undo("s1", {});
    const paths = async (of: Parameters<Journal["reads"]["changes"]>[0]) =>
      (await journal.reads.changes(of)).map(({ path, call_id, run_id }) => [path, call_id, run_id]);
    const ofA = [
      ["a.txt", "c1", a],
      ["b.txt", "c9", `${a}.x`],
    ];
    const ofC = [
      ["a.txt", "c2", c],
      ["c.txt", "c2", c],
    ];
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await paths({ runId: a }), ofA);
      assert.deepEqual(await paths({ runId: c }), ofC, "left out of the conversation, still there");
      assert.deepEqual(await paths({ sessionId: "s1" }), [...ofA, ...ofC]);
      await journal.upkeep.rebuild();
    }
    const [first] = await journal.reads.changes({ runId: a });
    assert.deepEqual([first?.workspace, first?.checkpoint_id, first?.seq], ["/w", "cp_c1", 5]);
    assert.deepEqual(await journal.reads.changes({ runId: "nobody" }), []);
  });
}

function rollingBack(name: string, open: s.OpenStore): void {
  test(`${name} [T3, C11, J6] a rollback is one run that names its files`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const { a, c } = await changed(journal);
    const command = { run_id: a, command_id: "k1" };
    const outcomes = await Promise.all(
      [journal, other, other].map((each) => each.commands.rollback("s1", command)),
    );
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate", "duplicate"]);
    const intent = await intentOf(journal, outcomes[0]?.run_id);
    assert.deepEqual(intent.arguments, { run_id: a, paths: ["a.txt", "b.txt"] });
    assert.deepEqual(
      [intent["replay" as never], intent["risk" as never], intent.plan.workspace],
      ["ask", "write", "/w"],
    );
    const asked = async (request: object) => {
      const outcome = await journal.commands.rollback("s1", request);
      return outcome?.status === "accepted"
        ? (await intentOf(journal, outcome.run_id)).arguments
        : outcome?.status;
    };
    const all = ["a.txt", "b.txt", "c.txt"];
    assert.deepEqual(await asked({}), { session_id: "s1", paths: all });
    assert.deepEqual(await asked({ checkpoint_id: "cp_c2", preview: true }), {
      session_id: "s1",
      checkpoint_id: "cp_c2",
      preview: true,
      paths: ["a.txt", "c.txt"],
    });
    assert.deepEqual(await asked({ run_id: c, paths: ["c.txt", "z"] }), {
      run_id: c,
      paths: ["c.txt"],
    });
    assert.equal(await asked({ paths: ["z"] }), "not_active");
    assert.equal(await asked({ checkpoint_id: "cp_none" }), "not_active");
    await assert.rejects(journal.commands.rollback("s1", { run_id: "nobody" }), {
      code: "invalid_request",
    });
    assert.equal(await journal.commands.rollback("nobody", {}), undefined);
    await s.checkSession(journal, "s1");
  });

  test(`${name} [T3e] what is still being written is not rolled back in part`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const { a } = await changed(journal);
    const active = await s.start(journal, { message: "more" });
    const waiting = await s.start(journal, { message: "later" });
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started(), d.checkpoint("c3"), d.changed("c3", "a.txt"));
    const requests = [
      { run_id: active },
      { run_id: waiting },
      {},
      { run_id: active, preview: true },
    ];
    for (const request of requests) {
      assert.equal(
        (await journal.commands.rollback("s1", request))?.status,
        "conflict",
        JSON.stringify(request),
      );
    }
    for (const request of [{ run_id: a }, { checkpoint_id: "cp_c3" }]) {
      assert.equal(
        (await journal.commands.rollback("s1", request))?.status,
        "accepted",
        JSON.stringify(request),
      );
    }
    await s.end(journal, claim);
    assert.equal((await journal.commands.rollback("s1", { run_id: active }))?.status, "accepted");
  });

  test(`${name} [T3, C12] undo, retry and saying it again roll back first, in one transaction`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const { a, c } = await changed(journal);
    const undone = await journal.commands.undo("s1", { files: true });
    const rollback = undone?.payload as { rollback_run_id: string } | undefined;
    assert.deepEqual((await intentOf(journal, rollback?.rollback_run_id)).arguments, {
      run_id: c,
      paths: ["a.txt", "c.txt"],
    });
    assert.equal((await journal.commands.retry("s1", { files: true }))?.status, "conflict");
    await s.end(journal, await s.claimed(journal));

    const again = await journal.commands.rerun(a, { message: "else", files: true });
    assert.equal(again?.status, "accepted");
    const first = await s.claimed(journal);
    assert.deepEqual((await intentOf(journal, first.runId)).arguments["run_id"], a);
    await s.end(journal, first);
    const next = await s.claimed(journal);
    assert.equal(next.runId, again.run_id, "what is asked again waits for the rollback");
    await s.end(journal, next);

    const plain = await journal.commands.retry("s1", { files: true });
    const made = plain?.payload as { rollback_run_id: unknown } | undefined;
    assert.equal(made?.rollback_run_id, null);
  });

  test(`${name} [C13a, T3] a branch with files rolls back what came after its point`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const { a } = await changed(journal);
    const point = { run_id: a, seq: (await journal.reads.run(a))?.seq ?? 0, files: true };
    const outcome = await journal.commands.branch("s1", point);
    const events = await s.runEvents(journal, a);
    assert.deepEqual((await intentOf(journal, outcome?.run_id)).arguments, {
      session_id: "s1",
      after_session_seq: events.at(-1)?.session_seq,
      paths: ["a.txt", "c.txt"],
    });
    assert.equal((await journal.reads.run(outcome?.run_id ?? ""))?.session_id, outcome?.session_id);
    const last = await journal.commands.branch("s1", { files: true });
    assert.deepEqual([last?.status, last?.run_id], ["accepted", null]);
  });

  test(`${name} [T3, B2] what one rollback cannot do is refused and changes nothing`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const many = Array.from({ length: 1_001 }, (_, index) => `f${index}`);
    await s.exchange(journal, "many", d.changed("c1", ...many));
    const before = (await s.sessionEvents(journal)).length;
    for (const refused of [
      journal.commands.rollback("s1", { command_id: "k" }),
      journal.commands.undo("s1", { files: true, command_id: "k" }),
    ]) {
      await assert.rejects(refused, { code: "invalid_request" });
    }
    assert.equal((await s.sessionEvents(journal)).length, before);
    const some = await journal.commands.rollback("s1", {
      paths: many.slice(0, 1_000),
      command_id: "k",
    });
    assert.equal(some?.status, "accepted");
  });
}
