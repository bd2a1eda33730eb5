// J12, C19: the activity that lists show, pinned sessions, and the inbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Draft } from "../../events/events.ts";
import type { Claim, Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

const activity = async (journal: Journal) => (await journal.reads.session("s1"))?.activity;
const calls = (name: string, given: Record<string, string>): Draft => ({
  type: "tool.started",
  payload: { call_id: "c9", name, arguments: given, attempt: 1 },
});
const step = (type: "plan.step_started" | "plan.step_completed", name: string): Draft => {
  const about = { plan_id: "p", step_id: "p1", index: 1, name };
  return type === "plan.step_started"
    ? { type, payload: { ...about, total: 2 } }
    : { type, payload: { ...about, success: true, duration_ms: 1, tokens_used: null } };
};

async function fail(journal: Journal, claim: Claim, status: "failed" | "expired" = "failed") {
  const seq = (await journal.reads.run(claim.runId))?.seq ?? 0;
  await s.write(journal, claim, d.failed("boom"), d.done(seq + 2, status));
}

/** A failed run in a session of that name. */
async function troubleIn(journal: Journal, session_id: string): Promise<string> {
  const runId = await s.start(journal, { session_id, message: `do ${session_id}` });
  await fail(journal, await s.claimed(journal));
  return runId;
}

export function inboxContract(name: string, open: s.OpenStore): void {
  activities(name, open);
  pins(name, open);
  requests(name, open);
  troubles(name, open);
  following(name, open);
  dismissing(name, open);
}

function activities(name: string, open: s.OpenStore): void {
  test(`${name} [J12] a list says what a run is doing, and nothing when it has ended`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const said: (string | undefined)[] = [];
    assert.equal(await activity(journal), null, "nothing is done yet");
    const events = [
      d.turnStarted(1),
      calls("exec", { command: "cd web && npm test -- --watch" }),
      calls("exec", { command: "ls -l\n  src" }),
      calls("exec", { command: "echo contest latest" }),
      calls("read", { path: "a.txt" }),
      calls("shoutloud", {}),
      calls("write", { path: "x".repeat(500) }),
      d.turnStarted(2),
    ];
    await s.write(journal, claim, d.started());
    for (const event of events) {
      await s.write(journal, claim, event);
      said.push((await activity(journal))?.text);
    }
    assert.deepEqual(said, [
      "thinking",
      "running tests",
      "running ls -l src",
      "running echo contest latest",
      "reading a.txt",
      "using shoutloud",
      `writing ${"x".repeat(71)}…`,
      "thinking",
    ]);
    const before = await activity(journal);
    s.later();
    await s.write(journal, claim, d.token("m1", "Hel"), d.thought("r1", "hm"), d.said("m1", "Hel"));
    assert.deepEqual(await activity(journal), before, "words are no activity");
    await journal.upkeep.rebuild();
    assert.deepEqual(await activity(journal), before);
    await s.end(journal, claim);
    assert.equal(await activity(journal), null);
    assert.equal((await journal.reads.session("s1"))?.last_status, "completed");
  });

  test(`${name} [J12a] a plan's step is shown while the model thinks about it`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const text = async () => (await activity(journal))?.text;
    await s.write(journal, claim, d.started(), d.turnStarted(1));
    await s.write(journal, claim, step("plan.step_started", "Write\nthe tests"));
    assert.equal(await text(), "Write the tests");
    await s.write(journal, claim, calls("read", { path: "a" }));
    assert.equal(await text(), "reading a");
    await s.write(journal, claim, d.turnStarted(2));
    assert.equal(await text(), "Write the tests");
    const before = await s.lists(journal);
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), before);
    await s.write(journal, claim, step("plan.step_completed", "Write the tests"));
    assert.equal(await text(), "thinking");
  });

  test(`${name} [J12b] what waits for a person goes before everything, a subagent's too`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.turnStarted(1), d.toolStarted("c1"));
    await journal.startChild({ runId: `${runId}.c`, parent: claim, message: "part" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, child, d.started(), calls("read", { path: "of the child" }));
    assert.equal((await activity(journal))?.text, "running ls");
    s.later();
    await s.write(journal, child, d.approvalAsked("c2"));
    const asked = (await s.runEvents(journal, child.runId)).at(-1)?.created_at;
    s.later();
    await s.write(journal, child, d.approvalAsked("c3"), d.turnStarted(2));
    assert.deepEqual(await activity(journal), { text: "waiting for you", since: asked });
  });
}

function pins(name: string, open: s.OpenStore): void {
  test(`${name} [C19, J6] a session is pinned once, and stays in its place in the list`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (const session_id of ["a", "b"]) {
      await s.start(journal, { session_id });
      s.later();
    }
    const pin = (pinned: boolean) => journal.commands.updateSession("a", { pinned });
    assert.equal((await pin(false))?.status, "duplicate");
    assert.equal((await pin(true))?.status, "accepted");
    assert.equal((await pin(true))?.status, "duplicate");
    s.later();
    await journal.commands.updateTitle("b", { title: "newer" });
    const listed = async () =>
      (await journal.reads.sessions({ limit: 9, offset: 0 })).map((each) => [
        each.session_id,
        each.pinned,
      ]);
    const expected = [
      ["b", false],
      ["a", true],
    ];
    assert.deepEqual(await listed(), expected);
    const only = await journal.reads.sessions({ limit: 9, offset: 0, pinnedOnly: true });
    assert.deepEqual(
      only.map(({ session_id }) => session_id),
      ["a"],
    );
    await journal.upkeep.rebuild();
    assert.deepEqual(await listed(), expected);
    assert.equal((await pin(false))?.status, "accepted");
    assert.equal((await journal.reads.session("a"))?.pinned, false);
    assert.deepEqual(await s.payloadsOf(journal, "a", "session.updated"), [
      { pinned: true },
      { pinned: false },
    ]);
  });
}

function requests(name: string, open: s.OpenStore): void {
  test(`${name} [J12c] the inbox has what waits in every session, newest first, with where it is asked`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
    s.later();
    await s.start(journal, { session_id: "s2", message: "other" });
    const other = await s.claimed(journal);
    await s.write(journal, other, d.started(), d.clarifyAsked("q", null));
    const asked = async () =>
      (await journal.reads.inbox()).requests.map((each) => [each.request_id, each.session_title]);
    assert.deepEqual(await asked(), [
      ["q", "other"],
      ["ap_c1", "hello"],
    ]);
    const [, first] = (await journal.reads.inbox()).requests;
    const wanted = { run_id: runId, run_prompt: "hello", workspace: "/w", prompt: "ls" };
    const { run_id, run_prompt, workspace, prompt } = first ?? {};
    assert.deepEqual({ run_id, run_prompt, workspace, prompt }, wanted);

    assert.equal((await journal.reads.request("ap_c1"))?.answer, null);
    const answer = { choice: "deny", by: "person" } as const;
    await journal.commands.respondApproval({ runId, approvalId: "ap_c1" }, answer);
    assert.deepEqual(await asked(), [["q", "other"]]);
    const after = await journal.reads.request("ap_c1");
    assert.deepEqual([after?.answer, after?.request], ["deny", first], "it can still be asked for");
    assert.equal(await journal.reads.request("nobody"), undefined);
    await journal.commands.updateSession("s2", { deleted: true });
    assert.deepEqual(await asked(), [], "also while its run is being stopped");
    assert.ok(await journal.reads.request("q"));
  });
}

function troubles(name: string, open: s.OpenStore): void {
  test(`${name} [J12c] what ended badly is in the inbox until another run follows`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runs: Record<string, string> = {};
    for (const id of ["a", "b", "c", "d"]) {
      runs[id] = await troubleIn(journal, id);
      s.later();
    }
    const ids = async () =>
      (await journal.reads.inbox()).troubles.map(({ session_id }) => session_id);
    assert.deepEqual(await ids(), ["d", "c", "b", "a"]);
    const [trouble] = (await journal.reads.inbox()).troubles;
    const { ended_at, ...rest } = trouble ?? {};
    assert.equal(ended_at, (await journal.reads.run(runs["d"] ?? ""))?.ended_at);
    assert.deepEqual(rest, {
      run_id: runs["d"],
      session_id: "d",
      title: "do d",
      prompt: "do d",
      status: "failed",
      reason: "boom",
      message: "It was boom.",
    });
    assert.equal((await journal.reads.session("d"))?.last_status, "failed");
    await s.start(journal, { session_id: "a" });
    await journal.commands.updateSession("b", { deleted: true });
    await journal.commands.undo("c", {});
    assert.deepEqual(await ids(), ["d"]);
    assert.equal((await journal.reads.session("c"))?.last_status, null, "undone");
    const before = await s.lists(journal);
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), before);
  });

  test(`${name} [J12c] a subagent that fails and a run that was stopped are no trouble`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started());
    await journal.startChild({ runId: `${runId}.c`, parent: claim, message: "part" });
    await fail(journal, await s.claimed(journal, { childrenOnly: true }));
    await journal.commands.cancelRun(runId, {});
    await s.write(journal, claim, d.done(99, "cancelled"));
    assert.deepEqual((await journal.reads.inbox()).troubles, []);
    const expired = await s.start(journal, { session_id: "s2" });
    await fail(journal, await s.claimed(journal), "expired");
    const [trouble] = (await journal.reads.inbox()).troubles;
    assert.deepEqual([trouble?.run_id, trouble?.status], [expired, "expired"]);
  });
}

function following(name: string, open: s.OpenStore): void {
  test(`${name} [J12c] a run that was undone hides no trouble, and a command that fails is none`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const failed = await troubleIn(journal, "s1");
    const troubled = async () => (await journal.reads.inbox()).troubles.map(({ run_id }) => run_id);
    await s.exchange(journal, "better");
    assert.deepEqual(await troubled(), []);
    assert.equal((await journal.commands.undo("s1", {}))?.status, "accepted");
    assert.deepEqual(await troubled(), [failed], "nothing that counts followed");
    await s.exchange(journal, "better still");
    assert.equal((await journal.commands.compress("s1", {}))?.status, "accepted");
    await fail(journal, await s.claimed(journal));
    assert.deepEqual(await troubled(), [], "who asked for it sees how it ended");
    await journal.upkeep.rebuild();
    assert.deepEqual(await troubled(), []);
  });
}

function dismissing(name: string, open: s.OpenStore): void {
  test(`${name} [C19a, C19b, J6] how a run ended is dismissed once, and only where it ended`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await troubleIn(journal, "s1");
    const going = await s.start(journal, { session_id: "s2" });
    const claim = await s.claimed(journal);
    await journal.startChild({ runId: "child", parent: claim, message: "part" });
    await fail(journal, await s.claimed(journal, { childrenOnly: true }));
    const dismiss = async (sessionId: string, dismissed_run_id: string) =>
      journal.commands.updateSession(sessionId, { dismissed_run_id });
    for (const [sessionId, run, why] of [
      ["s2", runId, /no such run/],
      ["s2", "nobody", /no such run/],
      ["s2", "s2", /no such run/],
      ["s2", going, /not ended/],
      ["s2", "child", /subagent/],
    ] as const) {
      const refused = await dismiss(sessionId, run);
      assert.equal(refused?.status, "conflict", run);
      assert.match(refused?.safe_message ?? "", why);
    }
    assert.deepEqual(await s.payloadsOf(journal, "s2", "session.updated"), []);

    const other = await store.connect();
    const outcomes = await Promise.all([
      dismiss("s1", runId),
      other.commands.updateSession("s1", { dismissed_run_id: runId }),
    ]);
    assert.deepEqual(s.statuses(outcomes), ["accepted", "duplicate"]);
    assert.deepEqual((await journal.reads.inbox()).troubles, []);
    assert.equal((await journal.reads.session("s1"))?.last_status, "failed", "it did fail");
    await journal.upkeep.rebuild();
    assert.deepEqual((await journal.reads.inbox()).troubles, []);
    const both = { dismissed_run_id: runId, pinned: true };
    assert.equal((await journal.commands.updateSession("s1", both))?.status, "accepted");
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.updated"), [
      { dismissed_run_id: runId },
      { pinned: true },
    ]);
  });
}
