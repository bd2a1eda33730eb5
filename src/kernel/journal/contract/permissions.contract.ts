// C6 and S: permissions that outlast one call, and plans that people edited.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { ApprovalChoice } from "../../events/catalogue/human.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { RespondApproval } from "../../events/commands.ts";
import type { Draft } from "../../events/events.ts";
import { findTool } from "../../state/run/state.ts";
import type { Journal } from "../journal.ts";
import { loadRun } from "../read/load-run.ts";
import { planHash } from "../admit/plan-hash.ts";
import * as s from "./store.contract.ts";

const RULE: Rule = { effect: "allow", tool: "exec", command: "ls" };
const WIDER: Rule = { effect: "allow", tool: "exec", argv: ["ls"] };
const EDITED = { command: "ls -l" };
const editedHash = planHash({ tool: "exec", arguments: EDITED, workspace: "/w" });

const asks = (callId: string, always: Rule | null): Draft => {
  const draft = d.approvalAsked(callId);
  if (draft.type !== "approval.requested") throw new Error("not a request");
  const wider = [{ rule: WIDER, also: "More." }];
  const choices: ApprovalChoice[] = ["once", "session", "always", "deny"];
  return { ...draft, payload: { ...draft.payload, choices, always, wider, reason: "why" } };
};

async function waiting(store: s.Store, always: Rule | null = RULE) {
  const { journal, runId, claim } = await s.withRun(store);
  const asked = [d.started(), d.intent("c1"), asks("c1", always), d.status("awaiting_approval")];
  await s.write(journal, claim, ...asked);
  const respond = (command: RespondApproval, by: Journal = journal) =>
    by.commands.respondApproval({ runId, approvalId: "ap_c1" }, { by: "person", ...command });
  const events = async () =>
    (await s.runEvents(journal, runId)).filter(({ type }) =>
      ["tool.replanned", "approval.resolved"].includes(type),
    );
  return { journal, runId, claim, respond, events };
}

export function permissionsContract(name: string, open: s.OpenStore): void {
  test(`${name} [P3, C6, S] “always” makes the offered rule, for the profile that asked and no other`, async () => {
    await using store = await open();
    const { journal, respond } = await waiting(store);
    await s.start(journal, { session_id: "s2" });
    await s.start(journal, { session_id: "s3", profile: "other" });
    assert.deepEqual((await journal.reads.pending({}))[0]?.always, RULE);
    assert.deepEqual(await journal.reads.rules("s1"), []);

    assert.equal((await respond({ choice: "always" }))?.status, "accepted");
    assert.equal((await respond({ choice: "always" }))?.status, "duplicate");
    const known = async () =>
      Promise.all(["s1", "s2", "s3", "s4"].map((id) => journal.reads.rules(id)));
    assert.deepEqual(await known(), [[RULE], [RULE], [], []]);
    assert.equal(
      await journal.reads.granted("s1", d.PLAN_HASH),
      false,
      "the rule allows, not the plan",
    );
    await journal.upkeep.rebuild();
    assert.deepEqual(await known(), [[RULE], [RULE], [], []]);
    const other = await store.connect();
    assert.deepEqual(await other.reads.rules("s1"), [RULE]);
  });

  test(`${name} [P3a, C6, S] a wider rule counts only if it was offered and chosen`, async () => {
    await using store = await open();
    const { journal, respond, events } = await waiting(store);
    for (const [choice, pattern] of [
      ["always", 1],
      ["once", 0],
      ["session", 0],
    ] as const) {
      await assert.rejects(respond({ choice, pattern }), { code: "invalid_request" });
    }
    assert.equal((await respond({ choice: "always", pattern: 0 }))?.status, "accepted");
    assert.deepEqual(await journal.reads.rules("s1"), [WIDER]);
    await journal.upkeep.rebuild();
    assert.deepEqual(await journal.reads.rules("s1"), [WIDER]);
    const [resolved] = await events();
    assert.ok(resolved?.type === "approval.resolved");
    assert.deepEqual(resolved.payload.rule, WIDER);
  });

  test(`${name} [C6, S] no other answer makes a rule, and without one “always” is refused`, async () => {
    for (const choice of ["once", "session", "deny"] as const) {
      await using store = await open();
      const { journal, respond } = await waiting(store);
      await respond({ choice });
      assert.deepEqual(await journal.reads.rules("s1"), []);
    }
    await using store = await open();
    const { journal, respond, events } = await waiting(store, null);
    await assert.rejects(respond({ choice: "always" }), { code: "invalid_request" });
    assert.deepEqual(await events(), []);
    assert.deepEqual(await journal.reads.rules("s1"), []);
  });

  test(`${name} [S] a session has its own rules, its project's, and no other's`, async () => {
    await using store = await open();
    const { journal } = await s.withRun(store);
    await s.start(journal, { session_id: "s2" });
    const own: Rule = { effect: "deny", tool: "exec", argv: ["rm"] };
    const shared: Rule = { effect: "ask", tool: "write", path: "docs/**" };
    await journal.commands.createProject({ project_id: "p1", name: "P", permissions: [shared] });
    await journal.commands.updateSession("s1", { permissions: [own], project_id: "p1" });
    assert.deepEqual(await journal.reads.rules("s1"), [own, shared]);
    assert.deepEqual(await journal.reads.rules("s2"), []);
    await journal.commands.updateProject("p1", { permissions: [] });
    await journal.commands.updateSession("s1", { permissions: [] });
    assert.deepEqual(await journal.reads.rules("s1"), []);
  });

  test(`${name} [P4, C6] edited arguments are a new plan: it is what was allowed, and it is what is stored`, async () => {
    await using store = await open();
    const { journal, runId, respond, events } = await waiting(store);
    const command = { choice: "once", plan_hash: d.PLAN_HASH, arguments: EDITED } as const;
    const outcome = await respond(command);
    assert.equal(outcome?.status, "accepted");
    const [replanned, resolved, ...more] = await events();
    assert.deepEqual(more, []);
    assert.ok(replanned?.type === "tool.replanned" && resolved?.type === "approval.resolved");
    const plan = { tool: "exec", arguments: EDITED, workspace: "/w" };
    assert.deepEqual(replanned.payload, {
      call_id: "c1",
      plan,
      plan_hash: editedHash,
      by: "person",
    });
    assert.equal(resolved.payload.plan_hash, editedHash);
    assert.deepEqual([resolved.seq, resolved.event_id], [replanned.seq + 1, outcome.event_id]);

    const state = await loadRun(journal, runId);
    const item = state && findTool(state, "c1");
    assert.deepEqual([item?.plan, item?.planHash], [plan, editedHash]);
    assert.equal(item?.request?.planHash, d.PLAN_HASH, "what was shown stays known");
    assert.equal(await journal.reads.granted("s1", editedHash), false);
    await s.checkSession(journal, "s1");
  });

  test(`${name} [C6, C5] an edited yes is only its own duplicate`, async () => {
    await using store = await open();
    const { respond } = await waiting(store);
    assert.equal((await respond({ choice: "once", arguments: EDITED }))?.status, "accepted");
    assert.equal((await respond({ choice: "once", arguments: EDITED }))?.status, "duplicate");
    assert.equal((await respond({ choice: "once" }))?.status, "conflict");
    const third = { command: "ls -a" };
    assert.equal((await respond({ choice: "once", arguments: third }))?.status, "conflict");
  });

  test(`${name} [C6] arguments that were not changed are no new plan`, async () => {
    await using store = await open();
    const { journal, claim, runId, events } = await waiting(store);
    const same = { tool: "exec", arguments: { command: "ls" }, workspace: "/w" };
    const [intent, asked] = [d.intent("c2"), asks("c2", RULE)];
    Object.assign(asked.payload, { plan: same, plan_hash: planHash(same) });
    await s.write(journal, claim, intent, asked);
    const ids = { runId, approvalId: "ap_c2" };
    const command = { choice: "once", arguments: { command: "ls" }, by: "person" } as const;
    assert.equal((await journal.commands.respondApproval(ids, command))?.status, "accepted");
    assert.deepEqual(
      (await events()).map(({ type }) => type),
      ["approval.resolved"],
    );
  });

  test(`${name} [C6] edits are for once: nothing more is allowed with them, and nothing denied`, async () => {
    await using store = await open();
    const { journal, respond, events } = await waiting(store);
    for (const choice of ["session", "always", "deny"] as const) {
      await assert.rejects(respond({ choice, arguments: EDITED }), { code: "invalid_request" });
    }
    const wrong = { choice: "once", plan_hash: "0".repeat(64), arguments: EDITED } as const;
    assert.equal((await respond(wrong))?.status, "conflict");
    assert.deepEqual(await events(), []);
    assert.equal((await journal.reads.pending({})).length, 1, "it still waits");
  });

  test(`${name} [C5, X1] of an edited, an unedited yes and a no at once one is accepted`, async () => {
    await using store = await open();
    const { runId, journal, respond, events } = await waiting(store);
    const other = await store.connect();
    const outcomes = await Promise.all([
      respond({ choice: "once" }, other),
      respond({ choice: "once", arguments: EDITED }),
      respond({ choice: "deny", feedback: "no" }, other),
      respond({ choice: "always" }),
    ]);
    assert.equal(outcomes.filter((outcome) => outcome?.status === "accepted").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome?.status === "conflict").length, 3);
    const resolved = (await events()).filter(({ type }) => type === "approval.resolved");
    assert.equal(resolved.length, 1);
    const state = await loadRun(journal, runId);
    const item = state && findTool(state, "c1");
    const edited = outcomes[1]?.status === "accepted";
    assert.equal(item?.planHash, edited ? editedHash : d.PLAN_HASH);
    const always = outcomes[3]?.status === "accepted";
    assert.deepEqual(await journal.reads.rules("s1"), always ? [RULE] : []);
  });

  test(`${name} [C6] a plan that looks like a request from afar is not taken for one`, async () => {
    await using store = await open();
    const { journal, claim, respond, events } = await waiting(store);
    const fake = { type: "approval.requested", x: 1, approval_id: "ap_c1", plan: { tool: "rm" } };
    const intent = d.intent("c3");
    Object.assign(intent.payload, { plan: { tool: "exec", arguments: fake, workspace: "/x" } });
    await s.write(journal, claim, intent);
    assert.equal((await respond({ choice: "once", arguments: EDITED }))?.status, "accepted");
    const [replanned] = await events();
    assert.ok(replanned?.type === "tool.replanned");
    assert.deepEqual(
      [replanned.payload.plan.tool, replanned.payload.plan.workspace],
      ["exec", "/w"],
    );
  });
}
