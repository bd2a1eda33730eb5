// What waits for a person, and the answers, through the console; the test plays the runner.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { flat, openConsole } from "../test-support.ts";
import { approval, pendingIn, waiting } from "../../../../test/support/console/waiting.ts";

test("[W6] pending has the document's fields, the client's and the inspector's", async () => {
  await using console_ = await waiting((runId) =>
    approval(runId, "c1", {
      title: "Approve terminal command",
      prompt: "Allow Hermes to run git status in /repo?",
      choices: ["once", "session", "always", "deny"],
      always: { ...d.ALWAYS, argv: ["git"] },
      reason: "Commands ask.",
      expires_at: 1_774_836_900,
    }),
  );
  const { runId } = console_;
  const reply = await console_.get("/human/pending");
  assert.deepEqual(flat(reply), reply.data);
  const [request = {}] = pendingIn(reply);
  const { created_at, ...rest } = request;
  assert.equal(typeof created_at, "number");
  const id = `ap_${runId}_c1`;
  const command = "Allow Hermes to run git status in /repo?";
  assert.deepEqual(rest, {
    request_id: id,
    id,
    kind: "approval",
    type: "approval",
    request_kind: "approval",
    session_id: "s1",
    run_id: runId,
    title: "Approve terminal command",
    prompt: command,
    message: command,
    question: null,
    choices: ["approve_once", "approve_session", "approve_always", "deny"],
    input_mode: "choice",
    tool_name: "exec",
    tool_call_id: `${runId}.c1`,
    command,
    description: "Commands ask.",
    metadata: {
      command,
      description: "Commands ask.",
      risk: "execute",
      arguments: '{"command":"ls"}',
      workspace: "/w",
      always: { effect: "allow", tool: "exec", argv: ["git"] },
    },
    sensitive: false,
    status: "pending",
    response: null,
    expires_at: "2026-03-30T02:15:00.000Z",
    expires_at_unix: 1_774_836_900,
  });
});

test("[W6] pending can be asked for one session", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1"));
  assert.equal(pendingIn(await console_.get("/human/pending?session_id=s1")).length, 1);
  assert.equal(pendingIn(await console_.get("/human/pending?session_id=other")).length, 0);
  const bad = await console_.get("/human/pending?session_id=a%20b");
  assert.equal(bad.error.code, "invalid_session_id");
});

test("[W5, W6] approve takes scope or decision, in either spelling", async () => {
  for (const [body, choice] of [
    [{ scope: "once" }, "once"],
    [{ decision: "session" }, "session"],
    [{ decision: "approve_always" }, "always"],
    [{ scope: "approve_session" }, "session"],
    [{}, "once"],
  ] as const) {
    await using console_ = await waiting((runId) =>
      approval(runId, "c1", {
        choices: ["once", "session", "always", "deny"],
        always: { ...d.ALWAYS, argv: ["ls"] },
      }),
    );
    const request_id = `ap_${console_.runId}_c1`;
    const reply = await console_.post("/human/approve", { request_id, ...body });
    assert.equal(reply.http, 200, JSON.stringify(reply.body));
    assert.deepEqual([reply.data["status"], reply.data["response"]], ["approved", choice]);
    const [resolved] = await s.payloadsOf(console_.journal, console_.runId, "approval.resolved");
    assert.deepEqual([resolved?.["choice"], resolved?.["by"]], [choice, "console"]);
  }
});

test("[W5, W6] deny carries its reason to the agent", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1"));
  const request_id = `ap_${console_.runId}_c1`;
  const reply = await console_.post("/human/deny", { request_id, feedback: "Not here." });
  assert.equal(reply.data["status"], "denied");
  const [resolved] = await s.payloadsOf(console_.journal, console_.runId, "approval.resolved");
  assert.deepEqual([resolved?.["choice"], resolved?.["feedback"]], ["deny", "Not here."]);
});

test("[W6] what cannot be an answer is refused with its code, and the request goes on waiting", async () => {
  await using console_ = await waiting(
    (runId) => approval(runId, "c1"),
    (runId) => d.clarifyAsked(`cl_${runId}_x`, null),
  );
  const { post, runId } = console_;
  const request_id = `ap_${runId}_c1`;
  const cases: [path: string, body: object, http: number, code: string][] = [
    ["approve", {}, 400, "invalid_request_id"],
    ["approve", { request_id: 5 }, 400, "invalid_request_id"],
    ["approve", { request_id: "" }, 400, "invalid_request_id"],
    ["approve", { request_id, scope: "forever" }, 400, "invalid_decision"],
    ["approve", { request_id, scope: "deny" }, 400, "invalid_decision"],
    ["approve", { request_id, scope: "constructor" }, 400, "invalid_decision"],
    ["approve", { request_id, decision: 7 }, 400, "invalid_decision"],
    ["approve", { request_id, scope: "always" }, 400, "invalid_decision"], // not offered
    ["approve", { request_id: "human_123", scope: "once" }, 404, "request_not_found"],
    ["approve", { request_id: `cl_${runId}_x` }, 400, "invalid_request_kind"],
    ["deny", { request_id: "human_123" }, 404, "request_not_found"],
    ["deny", { request_id: `ap_${runId}_c9` }, 404, "request_not_found"],
    ["deny", { request_id: "_".repeat(200) }, 404, "request_not_found"],
    ["deny", { request_id, feedback: "x".repeat(10_000) }, 400, "invalid_feedback"],
    ["clarify", { request_id }, 400, "invalid_response"],
    ["clarify", { request_id, response: "" }, 400, "invalid_response"],
    ["clarify", { request_id, response: "yes" }, 400, "invalid_request_kind"],
    ["clarify", { request_id: "human_124", response: "x" }, 404, "request_not_found"],
  ];
  for (const [path, body, http, code] of cases) {
    const reply = await post(`/human/${path}`, body);
    const what = `${path} ${JSON.stringify(body).slice(0, 80)}`;
    const emitted = reply.error["reason"] ?? reply.error.code;
    assert.deepEqual([reply.http, reply.ok, emitted], [http, false, code], what);
    if (http === 404) assert.equal(typeof reply.error["request_id"], "string", what);
  }
  assert.equal(pendingIn(await console_.get("/human/pending")).length, 2);
});

test("[C5, W5] the first answer wins, a repeat is a repeat, and the loser is told who won", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1"));
  const { runId, journal, post } = console_;
  const request_id = `ap_${runId}_c1`;
  await journal.commands.respondApproval(
    { runId, approvalId: request_id },
    { choice: "once", by: "hud" },
  );
  const same = await post("/human/approve", { request_id, scope: "once" });
  assert.deepEqual([same.http, same.data["duplicate"]], [200, true]);
  for (const [path, body] of [
    ["deny", {}],
    ["approve", { scope: "session" }],
    ["approve", { scope: "always" }],
  ] as const) {
    const late = await post(`/human/${path}`, { request_id, ...body });
    assert.deepEqual([late.http, late.error.code], [409, "already_answered"]);
    const { answered_by, answer, status, answered_at } = late.error;
    assert.deepEqual([answered_by, answer, status], ["hud", "once", "approved"]);
    assert.equal(typeof answered_at, "number");
    assert.match(late.error.message, /hud/);
  }
  const seq = await s.write(journal, console_.claim, d.toolStarted("c1"), d.toolDone("c1"));
  await s.write(journal, console_.claim, d.done(seq + 1));
  const after = await post("/human/deny", { request_id });
  assert.deepEqual([after.http, after.error.code], [409, "already_answered"], "also after the end");
});

test("[W5] what expired, or ended without an answer, is told as that", async () => {
  await using console_ = await waiting(
    (runId) => approval(runId, "c1"),
    (runId) => approval(runId, "c2"),
  );
  const { runId, journal, post, claim } = console_;
  const expired: Draft = {
    type: "approval.resolved",
    payload: {
      approval_id: `ap_${runId}_c1`,
      call_id: "c1",
      choice: null,
      status: "expired",
      feedback: null,
      by: "runner",
    },
  };
  const seq = await s.write(journal, claim, expired);
  const late = await post("/human/approve", { request_id: `ap_${runId}_c1` });
  assert.deepEqual([late.http, late.error.code], [409, "request_expired"]);
  await s.write(journal, claim, d.done(seq + 1, "cancelled"));
  const gone = await post("/human/approve", { request_id: `ap_${runId}_c2` });
  assert.deepEqual([gone.http, gone.error.code], [409, "run_not_active"]);
});

test("[W5] of many answers at once exactly one wins", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1"));
  const request_id = `ap_${console_.runId}_c1`;
  const answers = ["once", "session", "deny"].flatMap((word) => [word, word]);
  const replies = await Promise.all(
    answers.map((word) =>
      word === "deny"
        ? console_.post("/human/deny", { request_id })
        : console_.post("/human/approve", { request_id, scope: word }),
    ),
  );
  const won = replies.filter(({ http, data }) => http === 200 && data["duplicate"] === false);
  assert.equal(won.length, 1);
  assert.ok(replies.every(({ http }) => http === 200 || http === 409));
  assert.equal(replies.filter(({ http }) => http === 200).length, 2, "and its repeat");
  const resolved = await s.payloadsOf(console_.journal, console_.runId, "approval.resolved");
  assert.equal(resolved.length, 1);
});

test("[W4] a subagent's request waits here too, and its id is enough to answer it", async () => {
  await using console_ = await openConsole();
  const { journal, post, get } = console_;
  const runId = await s.start(journal);
  const parent = await s.claimed(journal);
  const childId = `${runId}.t1.1.c0`;
  const ids = { subagent_id: childId, child_run_id: childId, call_id: "t1.1.c0", title: "Sub" };
  const payload = { ...ids, prompt: "go", depth: 1 };
  await s.write(journal, parent, d.started(), { type: "subagent.started", payload });
  await journal.startChild({ runId: childId, parent, message: "go" });
  const child = await s.claimed(journal, { childrenOnly: true });
  assert.equal(child.runId, childId);
  await s.write(journal, child, d.started(), d.intent("c1"), approval(childId, "c1"));
  const [request] = pendingIn(await get("/human/pending?session_id=s1"));
  assert.deepEqual([request?.["run_id"], request?.["session_id"]], [childId, "s1"]);
  const request_id = `ap_${childId}_c1`;
  assert.equal((await post("/human/approve", { request_id })).http, 200);
  const again = await post("/human/approve", { request_id });
  assert.equal(again.data["duplicate"], true, "found by its id when it no longer waits");
});

test("[W8] an answer with a command id is the same answer when it is repeated", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1"));
  const request_id = `ap_${console_.runId}_c1`;
  const body = { request_id, scope: "once", command_id: "a1" };
  assert.equal((await console_.post("/human/approve", body)).data["duplicate"], false);
  assert.equal((await console_.post("/human/approve", body)).data["duplicate"], true);
  const other = await console_.post("/human/approve", { ...body, scope: "session" });
  assert.deepEqual([other.http, other.error.code], [409, "idempotency_conflict"]);
});

test("[P6, W6] yolo is read and switched per session, also before there is one", async () => {
  await using console_ = await openConsole();
  const { get, post, journal } = console_;
  const read = async (id: string) => (await get(`/human/yolo?session_id=${id}`)).data;
  assert.deepEqual(await read("session-1"), { session_id: "session-1", enabled: false });
  const on = await post("/human/yolo", { session_id: "session-1", enabled: true });
  assert.deepEqual(on.data, { session_id: "session-1", enabled: true });
  assert.deepEqual(flat(on), on.data);
  assert.equal((await journal.reads.session("session-1"))?.yolo, true);
  await post("/human/yolo", { session_id: "session-1", enabled: false });
  assert.deepEqual(await read("session-1"), { session_id: "session-1", enabled: false });
  for (const [body, code] of [
    [{ enabled: true }, "invalid_session_id"],
    [{ session_id: "s1" }, "invalid_enabled"],
    [{ session_id: "s1", enabled: "yes" }, "invalid_enabled"],
  ] as const) {
    assert.equal((await post("/human/yolo", body)).error.code, code);
  }
  assert.equal((await get("/human/yolo")).error.code, "invalid_session_id");
});

test("[J8, W4] a damaged run does not hide what waits, neither its own nor the others'", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1", { title: "First?" }));
  const { store, runId, journal, get } = console_;
  const other = await s.start(journal, { session_id: "s2" });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.intent("c1"), approval(other, "c1"));
  {
    using db = new DatabaseSync(store.path);
    const sql = `UPDATE events SET body = replace(body, 'First?', 'Other?')
      WHERE body LIKE '%"type":"approval.requested"%First?%'`;
    assert.equal(db.prepare(sql).run().changes, 1);
  }
  const list = pendingIn(await get("/human/pending"));
  assert.deepEqual(
    list.map(({ run_id, title, tool_name }) => [run_id, title, tool_name]),
    [
      [runId, "First?", null], // from the list: its events are not to be believed
      [other, "Allow?", "exec"],
    ],
  );
});
