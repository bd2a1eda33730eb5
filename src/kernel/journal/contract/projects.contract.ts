// C13, C15, J6: projects are defaults that a run's first event copies; branches are sessions with the history of
// another one.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import * as s from "./store.contract.ts";

const PROJECT = {
  project_id: "p1",
  name: "Dock",
  workspace: "/dock",
  model: "dock/model",
  profile: "work",
  instructions: "Mind the tide.",
  metadata: { port: "Kiel" },
  budget: { tokens: 1_000, cost_usd: 2, wall_s: null, tool_calls: null },
};

export function projectsContract(name: string, open: s.OpenStore): void {
  projects(name, open);
  children(name, open);
  branches(name, open);
}

function projects(name: string, open: s.OpenStore): void {
  test(`${name} [C15, J6] a project is made, changed and deleted once`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const made = await Promise.all(
      [journal, other, journal].map((each) => each.commands.createProject(PROJECT)),
    );
    assert.deepEqual(s.statuses(made), ["accepted", "duplicate", "duplicate"]);
    assert.deepEqual(made[0]?.payload, { project_id: "p1" });
    const different = await journal.commands.createProject({ project_id: "p1", name: "Else" });
    assert.deepEqual([different.status, different.accepted], ["conflict", false]);

    const later = await store.connect();
    const record = await later.reads.project("p1");
    assert.deepEqual(
      { ...record, ...PROJECT },
      record,
      "what was given is what is there, and the rest is empty",
    );
    assert.deepEqual(record?.permissions, []);
    assert.equal(
      (await later.commands.updateProject("p1", { model: "dock/model" }))?.status,
      "duplicate",
    );
    assert.equal((await later.commands.updateProject("p1", { model: null }))?.status, "accepted");
    assert.equal((await journal.reads.project("p1"))?.model, null);
    await later.upkeep.rebuild();
    assert.equal((await later.reads.projects()).length, 1);
    assert.equal(await later.commands.updateProject("nobody", { model: null }), undefined);
    assert.equal(await later.reads.project("nobody"), undefined);

    const gone = await Promise.all(
      [journal, other].map((each) => each.commands.deleteProject("p1")),
    );
    assert.deepEqual(s.statuses(gone), ["accepted", "none"]);
  });

  test(`${name} [C15a] what a command leaves out its project says, and a run keeps what it was told`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await journal.commands.createProject(PROJECT);
    const budget = { tokens: 50 };
    const runId = await s.start(journal, { project_id: "p1", profile: "mine", budget });
    const session = await journal.reads.session("s1");
    assert.deepEqual(
      [session?.workspace, session?.model, session?.profile, session?.project_id],
      ["/dock", "dock/model", "mine", "p1"],
    );
    await journal.commands.updateProject("p1", { name: "Quay", budget: null });
    const later = await s.start(journal, {});
    const emitted = async (id: string) => (await s.payloadsOf(journal, id, "run.queued"))[0];
    const { project_id, name: named, instructions, metadata } = PROJECT;
    const project = { project_id, name: named, instructions, metadata };
    assert.deepEqual((await emitted(runId))?.["project"], project);
    assert.deepEqual((await emitted(runId))?.["budget"], { ...PROJECT.budget, tokens: 50 });
    assert.deepEqual((await emitted(later))?.["project"], { ...project, name: "Quay" });
    assert.equal((await emitted(later))?.["budget"], null);

    for (const unknown of [
      () => journal.commands.startRun({ message: "a", project_id: "p2" }, s.DEFAULTS),
      () =>
        journal.commands.startRun({ session_id: "s1", message: "a", project_id: "p2" }, s.DEFAULTS),
      () => journal.commands.createSession({ project_id: "p2" }, s.DEFAULTS),
    ]) {
      await assert.rejects(unknown(), { code: "invalid_request" });
    }
    const known = await journal.commands.createSession(
      { session_id: "s3", project_id: "p1" },
      s.DEFAULTS,
    );
    assert.equal(known.status, "accepted");
    assert.equal((await journal.reads.session("s3"))?.profile, "work");
  });

  test(`${name} [C15] deleting a project keeps its sessions, and says so in each`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await journal.commands.createProject(PROJECT);
    for (const session_id of ["s1", "s2"]) await s.start(journal, { session_id, project_id: "p1" });
    await journal.commands.deleteProject("p1");
    for (const id of ["s1", "s2"]) {
      assert.equal((await journal.reads.session(id))?.project_id, null);
      assert.deepEqual(await s.payloadsOf(journal, id, "session.updated"), [{ project_id: null }]);
      await s.checkSession(journal, id);
    }
    const kept = await s.lists(journal);
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), kept);
  });
}

function children(name: string, open: s.OpenStore): void {
  test(`${name} [C15, R11] a run below another has its project, profile and tools; spending counts up`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await journal.commands.createProject(PROJECT);
    const runId = await s.start(journal, { project_id: "p1", toolsets: ["files"] });
    const claim = await s.claimed(journal);
    await journal.commands.updateSession("s1", { profile: "else", project_id: null, model: "x/y" });
    const priced = d.used(1, 10);
    const usage = { ...priced, payload: { ...priced.payload, cost_usd: 0.5 } } as typeof priced;
    await s.write(journal, claim, d.started(), usage, d.intent("c1"), d.toolStarted("c1"));
    const budget = { tokens: 9, cost_usd: null, wall_s: null, tool_calls: null };
    await journal.startChild({ runId: `${runId}.a`, parent: claim, message: "part" });
    await journal.startChild({
      runId: `${runId}.b`,
      parent: claim,
      message: "part",
      title: "B",
      toolsets: ["web"],
      budget,
    });
    const [a] = await s.payloadsOf(journal, `${runId}.a`, "run.queued");
    const [b] = await s.payloadsOf(journal, `${runId}.b`, "run.queued");
    assert.deepEqual(
      [a?.["profile"], a?.["model"], a?.["toolsets"], a?.["budget"], a?.["root_run_id"]],
      ["work", "dock/model", ["files"], null, runId],
    );
    assert.equal((a?.["project"] as { project_id: string } | undefined)?.project_id, "p1");
    assert.deepEqual([b?.["toolsets"], b?.["budget"]], [["web"], budget]);

    const child = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, child, d.started(), d.used(1, 5), d.toolStarted("c1"));
    const spent = { tokens: 15, cost_usd: 0.5, unpriced: true, tool_calls: 2 };
    assert.deepEqual(await journal.reads.spent(runId), spent);
    assert.deepEqual((await journal.reads.spent(child.runId)).tokens, 5);
    await journal.upkeep.rebuild();
    assert.deepEqual(await journal.reads.spent(runId), spent);
    const nothing = { tokens: 0, cost_usd: 0, unpriced: false, tool_calls: 0 };
    assert.deepEqual(await journal.reads.spent("nobody"), nothing);
  });
}

function branches(name: string, open: s.OpenStore): void {
  test(`${name} [C13, J6] a branch is made once, at the end or at any event`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    assert.equal(await journal.commands.branch("nobody", {}), undefined);
    await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
    assert.equal((await journal.commands.branch("s1", {}))?.status, "not_active");
    await journal.commands.updateTitle("s1", { title: "Ship" });
    const rules: Rule[] = [
      { effect: "deny", tool: "exec" },
      { effect: "allow", tool: "write" },
    ];
    await journal.commands.updateSession("s1", { yolo: true, permissions: rules });
    const a = await s.exchange(journal, "a");
    const b = await s.start(journal, { message: "b" });

    const made = await Promise.all(
      [journal, other, other].map((each) => each.commands.branch("s1", { command_id: "b1" })),
    );
    assert.deepEqual(s.statuses(made), ["accepted", "duplicate", "duplicate"]);
    const sessionId = made[0]?.session_id ?? "";
    assert.deepEqual(new Set(made.map((outcome) => outcome?.session_id)).size, 1);
    const session = await journal.reads.session(sessionId);
    assert.deepEqual(
      [session?.title, session?.model, session?.parent_session_id, session?.yolo],
      ["Branch of Ship", "demo/demo", "s1", false],
    );
    assert.deepEqual(
      await journal.reads.rules(sessionId),
      [rules[0]],
      "what was forbidden stays so",
    );
    const seq = (await journal.reads.run(a))?.seq;
    assert.deepEqual(await journal.reads.branchedFrom(sessionId), {
      sessionId: "s1",
      runId: a,
      seq,
    });
    assert.equal(await journal.reads.branchedFrom("s1"), undefined);

    const at = { run_id: b, seq: 1, session_id: "twig" };
    assert.equal((await journal.commands.branch("s1", at))?.status, "accepted");
    assert.equal((await other.commands.branch("s1", at))?.status, "duplicate");
    assert.equal((await other.commands.branch("s1", { ...at, seq: 2 }))?.status, "conflict");
    for (const wrong of [{ run_id: "nobody" }, { run_id: b, seq: 9 }, { run_id: "s1" }]) {
      await assert.rejects(journal.commands.branch("s1", wrong), { code: "invalid_request" });
    }
    const later = await store.connect();
    const kept = await s.lists(later);
    await later.upkeep.rebuild();
    assert.deepEqual(await s.lists(later), kept);
    assert.deepEqual(await later.reads.branchedFrom("twig"), { sessionId: "s1", runId: b, seq: 1 });
    await s.checkSession(later, "twig");
  });
}
