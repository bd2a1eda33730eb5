// What waits for a person in a browser, and answers to it: first one wins, the late one is told, and
// nothing is answered that nobody saw.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { eventsOf } from "../../../test/support/runs.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { ask, serveWebui, type Fields } from "../../../test/support/windows/webui.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Draft } from "../../kernel/events/events.ts";

async function asking(...drafts: Draft[]) {
  const store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.turnStarted(1), ...drafts);
  const server = await serveWebui(journal, store.home);
  const to = (path: string, body?: object) =>
    ask(server, body ? "POST" : "GET", `/api/${path}`, body);
  return {
    journal,
    runId,
    claim,
    to,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
const approval = (id: string) => [d.intent(id), d.approvalAsked(id)];
const STALE = {
  ok: false,
  error: "Clarification prompt expired or not found. The agent may have already proceeded.",
  stale: true,
};

test("[W6] what is pending is the oldest, with how many there are; null when nothing waits", async () => {
  await using at = await asking(...approval("c1"), ...approval("c2"));
  const { body } = await at.to("approval/pending?session_id=s1");
  assert.equal(body["pending_count"], 2);
  const pending = body["pending"] as Fields;
  assert.equal(pending["approval_id"], "ap_c1");
  assert.equal(pending["command"], "ls");
  assert.equal(pending["description"], "Allow?");
  assert.equal(pending["timeout_seconds"], 0);
  const none = await at.to("clarify/pending?session_id=s1");
  assert.deepEqual(none.body, { pending: null, pending_count: 0 });
  assert.deepEqual((await at.to("approval/pending?session_id=nobody")).body, {
    pending: null,
    pending_count: 0,
  });
  for (const path of ["approval/pending", "clarify/pending?session_id="]) {
    assert.equal((await at.to(path)).status, 400);
  }
});

test("[W5, C5] the first answer wins; its repeat is the same, another is told that it is late", async () => {
  await using at = await asking(...approval("c1"));
  const respond = (choice: string) =>
    at.to("approval/respond", { session_id: "s1", choice, approval_id: "ap_c1" });
  const first = await respond("once");
  assert.deepEqual([first.status, first.body], [200, { ok: true, choice: "once" }]);
  assert.deepEqual((await respond("once")).body, { ok: true, choice: "once" });
  const late = await respond("deny");
  assert.equal(late.status, 409);
  assert.deepEqual(late.body, {
    ok: false,
    error: "Somebody else answered first.",
    stale: true,
    choice: "deny",
  });
  const events = eventsOf(await s.runEvents(at.journal, at.runId), "approval.resolved");
  assert.deepEqual(
    events.map(({ payload }) => [payload.choice, payload.by]),
    [["once", "webui"]],
  );
});

test("[W6] an approval without its id is the one that waits, and never one of several", async () => {
  await using at = await asking(...approval("c1"), ...approval("c2"));
  const bare = await at.to("approval/respond", { session_id: "s1", choice: "once" });
  assert.equal(bare.status, 400);
  await at.to("approval/respond", { session_id: "s1", choice: "deny", approval_id: "ap_c1" });
  const only = await at.to("approval/respond", { session_id: "s1", choice: "once" });
  assert.deepEqual(only.body, { ok: true, choice: "once" });
  const none = await at.to("approval/respond", { session_id: "s1", choice: "once" });
  assert.deepEqual([none.status, none.body["stale"]], [409, true]);
});

test("[W5, W6] a request of another session, of nobody or in other words answers nothing", async () => {
  await using at = await asking(...approval("c1"));
  await at.journal.commands.createSession({ session_id: "s2" }, s.DEFAULTS);
  const bad = [
    [{ session_id: "s2", choice: "once", approval_id: "ap_c1" }, 409],
    [{ session_id: "s1", choice: "once", approval_id: "ap_none" }, 409],
    [{ session_id: "s1", choice: "once", approval_id: "ap_c1", run_id: "run_other" }, 409],
    [{ session_id: "s1", choice: "maybe", approval_id: "ap_c1" }, 400],
    [{ session_id: "s1", approval_id: "ap_c1" }, 400],
    [{ choice: "once", approval_id: "ap_c1" }, 400],
  ] as const;
  for (const [body, status] of bad) {
    const answer = await at.to("approval/respond", body);
    assert.equal(answer.status, status, JSON.stringify([body, answer.body]));
    assert.equal(typeof answer.body["error"], "string");
  }
  assert.equal((await at.journal.reads.pending({ sessionId: "s1" })).length, 1);
});

test("[W4, W6] a subagent's request is pending and answered like any other", async () => {
  await using at = await asking(d.intent("c1"), d.toolStarted("c1"));
  const child = `${at.runId}.c1`;
  await at.journal.startChild({ runId: child, parent: at.claim, message: "go" });
  const claim = await s.claimed(at.journal, { childrenOnly: true });
  await s.write(at.journal, claim, d.started(), ...approval("c9"));
  const { body } = await at.to("approval/pending?session_id=s1");
  const pending = body["pending"] as Fields;
  assert.deepEqual([pending["approval_id"], pending["run_id"]], ["ap_c9", child]);
  const answer = { session_id: "s1", choice: "once", approval_id: "ap_c9" };
  assert.equal((await at.to("approval/respond", answer)).status, 200);
});

test("[P6, W6] allowing everything from here on answers what waits, and is never part of a no", async () => {
  await using at = await asking(...approval("c1"), ...approval("c2"));
  const no = { session_id: "s1", choice: "deny", approval_id: "ap_c2", yolo: true };
  assert.equal((await at.to("approval/respond", no)).status, 200);
  assert.equal((await at.journal.reads.session("s1"))?.yolo, false);
  const body = { session_id: "s1", choice: "session", approval_id: "ap_c1", yolo: true };
  assert.equal((await at.to("approval/respond", body)).status, 200);
  assert.equal((await at.journal.reads.session("s1"))?.yolo, true);
  const denied = { ...body, choice: "deny", approval_id: "ap_c1" };
  assert.equal((await at.to("approval/respond", denied)).status, 409);
});

test("[W5, W6] a question takes its answer under any of three names, once; late is 409 stale", async () => {
  await using at = await asking(d.clarifyAsked("cl_1", null), d.clarifyAsked("cl_2", null));
  const { body } = await at.to("clarify/pending?session_id=s1");
  const pending = body["pending"] as Fields;
  assert.deepEqual(
    [pending["clarify_id"], pending["question"], pending["choices_offered"]],
    ["cl_1", "Which one?", ["left", "right"]],
  );
  const first = { session_id: "s1", clarify_id: "cl_1" };
  const said = await at.to("clarify/respond", { ...first, answer: "left" });
  assert.deepEqual([said.status, said.body], [200, { ok: true, response: "left" }]);
  const again = await at.to("clarify/respond", { ...first, response: "left" });
  assert.deepEqual(again.body, { ok: true, response: "left" });
  const late = await at.to("clarify/respond", { ...first, response: "right" });
  assert.deepEqual([late.status, late.body], [409, STALE]);
  const second = await at.to("clarify/respond", { session_id: "s1", choice: "up" });
  assert.deepEqual(second.body, { ok: true, response: "up" });
  const none = await at.to("clarify/respond", { session_id: "s1", response: "x" });
  assert.deepEqual([none.status, none.body], [409, STALE]);
  for (const bad of [{ ...first }, { ...first, response: "" }, { ...first, response: 4 }]) {
    assert.equal((await at.to("clarify/respond", bad)).status, 400);
  }
});

test("[R4, W6] an unknown outcome is answered like a question, with one of its choices", async () => {
  await using at = await asking(d.intent("c1"), d.toolStarted("c1"), d.outcomeUnknown("c1"));
  const { body } = await at.to("clarify/pending?session_id=s1");
  assert.equal((body["pending"] as Fields)["kind"], "unknown_outcome");
  const about = { session_id: "s1", clarify_id: "un_c1" };
  const wrong = await at.to("clarify/respond", { ...about, response: "perhaps" });
  assert.equal(wrong.status, 400);
  assert.match(String(wrong.body["error"]), /check, retry, mark_done, skip/);
  const right = await at.to("clarify/respond", { ...about, response: "mark_done" });
  assert.deepEqual(right.body, { ok: true, response: "mark_done" });
});

test("[C7, W6] a goal is what was typed; setting one begins, the rest changes only the goal", async () => {
  await using at = await asking();
  const goal = async (body: object) => (await at.to("goal", { session_id: "s1", ...body })).body;
  const none = await goal({ args: "pause" });
  assert.deepEqual([none["ok"], none["error"], none["goal"]], [false, "no_goal", null]);
  assert.deepEqual((await goal({ args: "" }))["goal"], null);
  const set = await goal({ action: "set", text: "set Paint the ship" });
  assert.deepEqual(
    [set["ok"], set["action"], set["goal"], set["stream_id"]],
    [true, "set", { goal: "Paint the ship", status: "active" }, undefined],
    "nothing is started beside a run that goes on",
  );
  assert.equal(((await goal({ args: "pause" }))["goal"] as Fields)["status"], "paused");
  assert.equal(((await goal({ args: "PAUSE" }))["goal"] as Fields)["status"], "paused");
  assert.equal(((await goal({ action: "resume" }))["goal"] as Fields)["status"], "active");
  const edited = await goal({ args: "edit Paint it red" });
  assert.deepEqual(edited["goal"], { goal: "Paint it red", status: "active" });
  assert.deepEqual((await goal({ action: "status" }))["goal"], edited["goal"]);
  assert.deepEqual((await goal({ args: "stop" }))["goal"], null);
  assert.equal((await goal({ args: "clear" }))["ok"], false);
  await s.end(at.journal, at.claim);
  const begun = await goal({ args: "Count the masts" });
  assert.equal(begun["kickoff_prompt"], "Count the masts");
  assert.equal((await at.journal.reads.session("s1"))?.active_run_id, begun["stream_id"]);
  await at.journal.commands.cancelRun(String(begun["stream_id"]), {});
  assert.equal((await goal({ args: "Count the masts" }))["stream_id"], undefined, "repeated");
  assert.equal((await goal({ args: "Count the oars", kickoff: false }))["stream_id"], undefined);
  assert.equal((await at.to("goal", { session_id: "nobody", args: "x" })).status, 404);
  assert.equal((await at.to("goal", { session_id: "s1", action: "set" })).status, 400);
});
