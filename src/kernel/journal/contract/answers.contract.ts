// C5, C6: people answer; the first answer wins, and it is bound to what was shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { ApprovalChoice } from "../../events/catalogue/human.ts";
import type { Draft } from "../../events/events.ts";
import type { Journal } from "../journal.ts";
import { loadRun } from "../read/load-run.ts";
import * as s from "./store.contract.ts";

/** A run that waits for an approval (c1). Call ids are global enough for a test of one run. */
async function waiting(store: s.Store) {
  const { journal, runId, claim } = await s.withRun(store);
  const asked = [d.started(), d.intent("c1"), d.approvalAsked("c1"), d.status("awaiting_approval")];
  await s.write(journal, claim, ...asked);
  const approve = (choice: ApprovalChoice, by: Journal = journal, extra: object = {}) =>
    by.commands.respondApproval({ runId, approvalId: "ap_c1" }, { choice, by: "person", ...extra });
  return { journal, runId, claim, approve };
}

const expired = (call_id: string): Draft => ({
  type: "approval.resolved",
  payload: {
    approval_id: `ap_${call_id}`,
    call_id,
    choice: null,
    status: "expired",
    feedback: null,
    by: "runner",
  },
});

export function answersContract(name: string, open: s.OpenStore): void {
  test(`${name} [C5, X1] of approve and deny at once exactly one is accepted`, async () => {
    for (const first of ["once", "deny"] as const) {
      await using store = await open();
      const { journal, runId, approve } = await waiting(store);
      const other = await store.connect();
      const second = first === "once" ? "deny" : "once";
      const outcomes = await Promise.all([approve(first), approve(second, other), approve(first)]);

      const accepted = outcomes.filter((outcome) => outcome?.status === "accepted");
      assert.equal(accepted.length, 1);
      const resolved = (await s.runEvents(journal, runId)).filter(
        ({ type }) => type === "approval.resolved",
      );
      assert.deepEqual(
        resolved.map(({ event_id }) => event_id),
        [accepted[0]?.event_id],
      );
      const losers = outcomes.map((outcome) => outcome?.status).filter((it) => it !== "accepted");
      assert.ok(losers.every((it) => it === "conflict" || it === "duplicate"));
      assert.deepEqual(await journal.reads.pending({}), []);
    }
  });

  test(`${name} [C5a] a repeat is a duplicate, another answer a conflict, after the end not_active`, async () => {
    await using store = await open();
    const { journal, claim, approve } = await waiting(store);
    assert.equal((await approve("once"))?.status, "accepted");
    assert.equal((await approve("once"))?.status, "duplicate");
    assert.equal((await approve("deny"))?.status, "conflict");
    await s.write(journal, claim, d.done(9));
    assert.equal((await approve("deny"))?.status, "not_active");
    assert.equal((await approve("once"))?.status, "duplicate");
  });

  test(`${name} [C5, J6] an answer's command id makes its repeat the first outcome`, async () => {
    await using store = await open();
    const { journal, approve } = await waiting(store);
    const first = await approve("once", journal, { command_id: "k1" });
    const again = await approve("once", journal, { command_id: "k1" });
    assert.deepEqual([again?.status, again?.event_id], ["duplicate", first?.event_id]);
    await assert.rejects(approve("deny", journal, { command_id: "k1" }), {
      code: "idempotency_conflict",
    });
  });

  test(`${name} [C5] an answer resumes the run, or leaves it waiting for the next one`, async () => {
    await using store = await open();
    const { journal, runId, claim, approve } = await waiting(store);
    await s.write(journal, claim, d.clarifyAsked("cl", null), d.outcomeUnknown("c2"));
    const kinds = async () => (await journal.reads.pending({ runId })).map(({ kind }) => kind);
    assert.deepEqual((await kinds()).toSorted(), ["approval", "clarify", "unknown_outcome"]);
    assert.equal((await journal.reads.session("s1"))?.pending, 3);

    await approve("once");
    assert.equal((await journal.reads.run(runId))?.status, "awaiting_clarify");
    const clarify = (clarifyId: string, response: string) =>
      journal.commands.respondClarify({ runId, clarifyId }, { response, by: "person" });
    assert.equal((await clarify("cl", "my own words"))?.status, "accepted");
    assert.equal((await journal.reads.run(runId))?.status, "awaiting_clarify");
    await assert.rejects(clarify("un_c2", "my own words"), { code: "invalid_request" });
    assert.equal((await clarify("un_c2", "skip"))?.status, "accepted");
    assert.equal((await journal.reads.run(runId))?.status, "running");
    assert.deepEqual(await kinds(), []);
  });

  test(`${name} [C5] an approval is not answered as a question, nor through another run`, async () => {
    await using store = await open();
    const { journal, runId } = await waiting(store);
    const other = await s.start(journal, { session_id: "s2" });
    const asQuestion = { runId, clarifyId: "ap_c1" };
    const elsewhere = { runId: other, approvalId: "ap_c1" };
    const by = "person";
    assert.equal(
      await journal.commands.respondClarify(asQuestion, { response: "once", by }),
      undefined,
    );
    assert.equal(
      await journal.commands.respondApproval(elsewhere, { choice: "once", by }),
      undefined,
    );
    assert.equal((await journal.reads.pending({})).length, 1);
  });

  test(`${name} [C6] an answer to another plan, or one that was not offered, is none`, async () => {
    await using store = await open();
    const { journal, runId, approve } = await waiting(store);
    const head = (await journal.reads.run(runId))?.seq;
    const wrong = await approve("once", journal, { plan_hash: "0".repeat(64) });
    assert.equal(wrong?.status, "conflict");
    await assert.rejects(approve("always"), { code: "invalid_request" });
    assert.equal((await journal.reads.run(runId))?.seq, head, "nothing was written");
    const right = await approve("once", journal, { plan_hash: d.PLAN_HASH });
    assert.equal(right?.status, "accepted");
  });

  test(`${name} [C6] \`session\` allows exactly that plan, in that session`, async () => {
    await using store = await open();
    const { journal, approve } = await waiting(store);
    await s.start(journal, { session_id: "s2" });
    assert.equal(await journal.reads.granted("s1", d.PLAN_HASH), false);
    await approve("session");
    assert.equal(await journal.reads.granted("s1", d.PLAN_HASH), true);
    assert.equal(await journal.reads.granted("s1", "0".repeat(64)), false);
    assert.equal(await journal.reads.granted("s2", d.PLAN_HASH), false);
  });

  test(`${name} [C6] once and deny grant nothing`, async () => {
    for (const choice of ["once", "deny"] as const) {
      await using store = await open();
      const { journal, approve } = await waiting(store);
      await approve(choice);
      assert.equal(await journal.reads.granted("s1", d.PLAN_HASH), false);
    }
  });

  test(`${name} [V6, C6] only the runner's word expires a request, whatever the clocks say`, async (t) => {
    await using store = await open();
    const { journal, runId, claim } = await waiting(store);
    await s.write(journal, claim, d.intent("c9"), d.approvalAsked("c9", Date.now() / 1000 + 60));
    const now = Date.now();
    t.mock.method(Date, "now", () => now + 86_400_000);
    const ids = { runId, approvalId: "ap_c9" };
    const answer = await journal.commands.respondApproval(ids, { choice: "once", by: "person" });
    assert.equal(answer?.status, "accepted");
    await s.write(journal, claim, expired("c9"));
    const again = await journal.commands.respondApproval(ids, { choice: "once", by: "person" });
    assert.equal(again?.status, "duplicate", "too late to expire: the first answer counts");
  });

  test(`${name} [C6b] no answer means no: expired, cancelled and ended requests take none`, async () => {
    await using store = await open();
    const { journal, runId, claim, approve } = await waiting(store);
    await s.write(journal, claim, d.intent("c9"), d.approvalAsked("c9", Date.now() / 1000 + 60));
    await s.write(journal, claim, expired("c9"));
    for (const choice of ["once", "session", "deny"] as const) {
      const ids = { runId, approvalId: "ap_c9" };
      const late = await journal.commands.respondApproval(ids, { choice, by: "person" });
      assert.equal(late?.status, "expired");
    }
    assert.equal((await loadRun(journal, runId))?.pending["ap_c9"], undefined);

    await s.write(journal, claim, d.clarifyAsked("cl", null));
    await journal.commands.cancelRun(runId, {});
    assert.equal((await approve("once"))?.status, "not_active");
    await s.write(journal, claim, d.done(20, "cancelled"));
    assert.equal((await approve("once"))?.status, "not_active");
    // Whatever the text is, the request stays unanswered.
    for (const response of ["cancelled", "expired", "left"]) {
      const ids = { runId, clarifyId: "cl" };
      const answer = await journal.commands.respondClarify(ids, { response, by: "person" });
      assert.equal(answer?.status, "not_active");
    }
    assert.deepEqual(await journal.reads.pending({}), []);
  });
}
