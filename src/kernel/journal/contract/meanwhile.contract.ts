// A person's change wins over a runner's result that is based on the state before the change.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Draft } from "../../events/events.ts";
import type { Claim, Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

export function meanwhileContract(name: string, open: s.OpenStore): void {
  test(`${name} [C4c] a stop is of everything below the run, in one transaction, whoever owns it`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const [going, waiting, deeper] = [`${runId}.a`, `${runId}.b`, `${runId}.a.c`];
    await journal.startChild({ runId: going, parent: claim, message: "part" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, child, d.started(), d.approvalAsked("c1"));
    await journal.startChild({ runId: deeper, parent: child, message: "deeper" });
    await journal.startChild({ runId: waiting, parent: claim, message: "part" });

    assert.equal((await journal.commands.cancelRun(runId, {}))?.status, "accepted");

    const status = async (id: string) => (await journal.reads.run(id))?.status;
    assert.deepEqual(
      [await status(going), await status(waiting), await status(deeper)],
      ["cancelling", "cancelled", "cancelled"],
    );
    const cancelling = { ok: false, reason: "cancelling" };
    for (const begun of [d.turnStarted(1), d.toolStarted("c1"), d.compacting]) {
      assert.deepEqual(await journal.append(child, [begun]), cancelling, begun.type);
    }
    const answer = { choice: "once", by: "person" } as const;
    const late = await journal.commands.respondApproval(
      { runId: going, approvalId: "ap_c1" },
      answer,
    );
    assert.equal(late?.status, "not_active");
    await journal.startChild({ runId: `${runId}.d`, parent: claim, message: "too late" });
    assert.equal(await journal.reads.run(`${runId}.d`), undefined);
    assert.equal(await s.claimNext(journal, { childrenOnly: true }), undefined);
    await s.checkSession(journal, "s1");
  });

  test(`${name} [C4c, C16] deleting a session stops what is below its runs`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await journal.startChild({ runId: `${runId}.a`, parent: claim, message: "part" });
    assert.equal(
      (await journal.commands.updateSession("s1", { deleted: true }))?.status,
      "accepted",
    );
    assert.equal((await journal.reads.run(`${runId}.a`))?.status, "cancelled");
  });

  test(`${name} [C4d, J6] stopping what a session does is once, also when something else does by then`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const other = await store.connect();
    const next = await s.start(journal);
    const again = { command_id: "k1" };
    const both = [journal.commands.stopActive("s1", again), other.commands.stopActive("s1", again)];
    const outcomes = await Promise.all(both);
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate"]);
    assert.deepEqual(new Set(outcomes.map((each) => each?.run_id)), new Set([runId]));
    await s.end(journal, claim);
    assert.equal((await other.commands.stopActive("s1", again))?.run_id, runId);
    assert.equal((await journal.reads.run(next))?.status, "queued");
    assert.equal((await journal.commands.stopActive("s1", {}))?.run_id, next);

    const idle = await journal.commands.stopActive("s1", { command_id: "k2" });
    assert.deepEqual([idle?.status, idle?.run_id], ["accepted", null]);
    const later = await s.start(journal);
    assert.equal((await journal.commands.stopActive("s1", { command_id: "k2" }))?.run_id, null);
    assert.equal((await journal.reads.run(later))?.status, "queued");
    assert.equal(await journal.commands.stopActive("nobody", {}), undefined);
  });

  test(`${name} [C10c] what was decided about a goal does not count for one that a person changed meanwhile`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const elsewhere = await store.connect();
    const goal = async () => (await journal.reads.session("s1"))?.goal;
    await s.write(journal, claim, d.started());
    const changes = [
      { action: "edit", text: "ship it twice" },
      { action: "set", text: "rest" },
      { action: "pause" },
      { action: "clear" },
    ] as const;
    for (const change of changes) {
      for (const decision of ["met", "continue", "blocked"] as const) {
        await journal.commands.updateGoal("s1", { action: "clear" });
        await journal.commands.updateGoal("s1", { action: "set", text: "ship" });
        await s.write(journal, claim, d.token("m1", "judged here"));
        await elsewhere.commands.updateGoal("s1", change);
        const now = await goal();
        const drafts = [d.goalDecided(decision), d.userMessage("go on")];
        assert.deepEqual(await journal.append(claim, drafts), OUTDATED);
        assert.deepEqual(await goal(), now, `${change.action}, ${decision}`);
      }
    }
    await elsewhere.commands.updateGoal("s1", { action: "set", text: "ship" });
    await s.write(journal, claim, d.goalDecided("met"));
    assert.equal(await goal(), null);
  });

  test(`${name} [C9a] a title that a person gave meanwhile stays`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const elsewhere = await store.connect();
    await s.write(journal, claim, d.started());
    // Another run of the session has seen the rename; this one has not.
    await journal.startChild({ runId: `${runId}.a`, parent: claim, message: "part" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await elsewhere.commands.updateTitle("s1", { title: "Mine" });
    await s.write(journal, child, d.started());
    const emitted: Draft = { type: "title.updated", payload: { title: "Told", source: "model" } };
    assert.deepEqual(await journal.append(claim, [emitted]), OUTDATED);
    assert.equal((await journal.reads.session("s1"))?.title, "Mine");
    await goesOn(journal, claim);
  });
}

/** Files: a subagent that was stopped with its run may still be writing after the run has ended. */
export function stillWritingContract(name: string, open: s.OpenStore): void {
  test(`${name} [C12b, T3] nothing is taken back while a subagent of a stopped run has not ended`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.turnStarted(1), d.changed("c1", "a.txt"));
    await journal.startChild({ runId: `${runId}.x`, parent: claim, message: "part" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, child, d.started(), d.turnStarted(1), d.toolStarted("c9"));
    await journal.commands.cancelRun(runId, {});
    await s.write(journal, claim, d.done(8, "cancelled"));

    const files = { files: true };
    for (const refused of [
      await journal.commands.undo("s1", files),
      await journal.commands.undo("s1", { run_id: runId, ...files }),
      await journal.commands.retry("s1", files),
      await journal.commands.rerun(runId, { message: "otherwise", ...files }),
      await journal.commands.rollback("s1", {}),
      await journal.commands.rollback("s1", { run_id: runId }),
      await journal.commands.branch("s1", { run_id: runId, seq: 1, ...files }),
    ]) {
      assert.equal(refused?.status, "conflict");
    }
    await s.write(journal, child, d.changed("c9", "b.txt"), d.done(9, "cancelled"));
    const undone = await journal.commands.undo("s1", files);
    assert.ok(undone?.status === "accepted");
    const { rollback_run_id } = undone.payload as { rollback_run_id: string };
    const [intent] = await s.payloadsOf(journal, rollback_run_id, "tool.intent");
    assert.ok(intent);
    const { arguments: emitted } = intent["plan"] as { arguments: { paths: string[] } };
    assert.deepEqual(emitted.paths, ["a.txt", "b.txt"]);
  });
}

const OUTDATED = { ok: false, reason: "outdated" };

/** A refused command has no side effect. */
async function goesOn(journal: Journal, claim: Claim): Promise<void> {
  await s.write(journal, claim, d.token("m1", "on"));
  await s.checkSession(journal, "s1");
}
