// Talking through the console, on a real journal; the test plays the runner.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { eventsOf } from "../../../../test/support/runs.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { flat, openConsole, type Reply } from "../test-support.ts";

type Console = Awaited<ReturnType<typeof openConsole>>;

const idsOf = ({ data }: Reply) => ({
  run: data["run_id"] as string,
  session: data["session_id"] as string,
});

async function queuedOf({ journal }: Console, runId: string) {
  const events = await s.runEvents(journal, runId);
  const [message] = eventsOf(events, "message.user");
  const [queued] = eventsOf(events, "run.queued");
  return { message: message?.payload, queued: queued?.payload };
}

/** The next run that waits, played to its end. */
async function play({ journal }: Console, answer = "Done."): Promise<string> {
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.said("m1.1", answer));
  const seq = (await journal.reads.run(claim.runId))?.seq ?? 0;
  await s.write(journal, claim, d.done(seq + 1, "completed", answer));
  return claim.runId;
}

/** What a request named that is not there. */
const lacking = ({ error }: Reply) => String(error["reason"]).replace("_not_found", "");

test("[C2, W6] send takes the document's body and answers in both shapes", async () => {
  await using console_ = await openConsole();
  const reply = await console_.post("/chat/send", {
    session_id: "sess_123",
    conversation: "browser-chat",
    message: "Inspect the API server and summarize its routes.",
    instructions: "Be concise.",
    attachments: [],
    model: "hermes-agent",
  });
  assert.equal(reply.http, 200);
  const { session_id, run_id, status } = reply.data;
  assert.deepEqual([session_id, status, typeof run_id], ["sess_123", "started", "string"]);
  assert.deepEqual(flat(reply), reply.data);
  const { message, queued } = await queuedOf(console_, idsOf(reply).run);
  assert.equal(message?.text, "Inspect the API server and summarize its routes.");
  assert.equal(queued?.instructions, "Be concise.");
  assert.equal(queued?.model, "demo/demo", "the product's name is no model");
  assert.equal(queued?.source, "console");
  assert.deepEqual(queued?.metadata, { conversation: "browser-chat" });
});

test("[W6] send takes the real client's body: prompt, history, context", async () => {
  await using console_ = await openConsole();
  const reply = await console_.post("/chat/send", {
    session_id: "session-1774836602123",
    prompt: "And now?",
    conversation_history: [
      { role: "user", content: "Hello", timestamp: 1 },
      { role: "assistant", content: [{ type: "text", text: "Hi" }] },
    ],
    runtime_context: { page: "chat", nested: { a: [1] } },
    ephemeral_system_prompt: "Short.",
    attachments: [{ file_path: "/x", filename: "a.png", content_type: "image/png", size: 3 }],
    model: "demo/other",
    something: "else",
  });
  assert.equal(reply.http, 200, JSON.stringify(reply.body));
  const { message, queued } = await queuedOf(console_, idsOf(reply).run);
  assert.deepEqual(queued?.history, [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Hi" },
  ]);
  assert.deepEqual(queued?.metadata, { runtime_context: { page: "chat", nested: { a: [1] } } });
  assert.equal(queued?.instructions, "Short.");
  assert.equal(queued?.model, "demo/other");
  assert.deepEqual(message?.attachments, [{ name: "a.png", media_type: "image/png", bytes: 3 }]);
  const empty = await console_.post("/chat/send", { prompt: "x", conversation_history: [] });
  assert.equal((await queuedOf(console_, idsOf(empty).run)).queued?.history, undefined);
});

test("[W6] what does not fit has the code the client knows, and nothing is started", async () => {
  await using console_ = await openConsole();
  const cases: [code: string, body: unknown][] = [
    ["invalid_prompt", {}],
    ["invalid_prompt", { session_id: "s1" }],
    ["invalid_prompt", { prompt: "" }],
    ["invalid_prompt", { prompt: "  \n" }],
    ["invalid_prompt", { message: 5 }],
    ["invalid_prompt", { prompt: "x".repeat(200_000) }],
    ["invalid_session_id", { prompt: "x", session_id: "a b" }],
    ["invalid_session_id", { prompt: "x", session_id: 5 }],
    ["invalid_message_id", { prompt: "x", message_id: "ü" }],
    ["invalid_message_id", { prompt: "x", client_message_id: "" }],
    ["invalid_conversation_history", { prompt: "x", conversation_history: "no" }],
    ["invalid_conversation_history", { prompt: "x", conversation_history: [{ role: "tool" }] }],
    ["invalid_runtime_context", { prompt: "x", runtime_context: [] }],
    ["invalid_ephemeral_system_prompt", { prompt: "x", ephemeral_system_prompt: {} }],
    ["invalid_ephemeral_system_prompt", { prompt: "x", instructions: "y".repeat(70_000) }],
    ["invalid_attachments", { prompt: "x", attachments: [{}] }],
    ["invalid_json", "{"],
    ["invalid_json", "[]"],
    ["invalid_json", "null and void"],
    ["invalid_json", '"text"'],
  ];
  for (const path of ["/chat/send", "/chat/background", "/chat/btw"]) {
    for (const [code, body] of cases) {
      const reply = await console_.post(path, body);
      const what = `${path} ${JSON.stringify(body).slice(0, 60)}`;
      assert.deepEqual([reply.http, reply.ok], [400, false], what);
      assert.equal(reply.error.code, code, what);
      assert.equal(typeof reply.error["details"], "object", what);
      assert.ok(reply.error.message.length < 600, what);
    }
  }
  assert.deepEqual(await console_.journal.reads.sessions({ limit: 10, offset: 0 }), []);
});

test("[C2, W8] send is idempotent by any of the client's ids", async () => {
  await using console_ = await openConsole();
  const body = { session_id: "s1", prompt: "once" };
  const key = { "idempotency-key": "key-3" };
  const ways: [extra: object, headers: Record<string, string>][] = [
    [{ message_id: "key-1" }, {}],
    [{ client_message_id: "key-2" }, {}],
    [{}, key],
  ];
  for (const [extra, headers] of ways) {
    const first = await console_.post("/chat/send", { ...body, ...extra }, headers);
    const again = await console_.post("/chat/send", { ...body, ...extra }, headers);
    assert.equal(idsOf(again).run, idsOf(first).run);
    assert.deepEqual([first.data["duplicate"], again.data["duplicate"]], [false, true]);
    const other = await console_.post("/chat/send", { ...body, ...extra, prompt: "2" }, headers);
    assert.deepEqual([other.http, other.error.code], [409, "idempotency_conflict"]);
  }
  assert.equal((await console_.journal.reads.runsOf("s1")).length, 3);
});

test("[C3c, W6] a full queue is told as an error, not as a start", async () => {
  await using console_ = await openConsole();
  for (let at = 0; at < 201; at += 1) await s.start(console_.journal);
  const reply = await console_.post("/chat/send", { session_id: "s1", prompt: "one more" });
  assert.deepEqual([reply.http, reply.error.code], [409, "queue_full"]);
  assert.equal(reply.error["session_id"], "s1");
});

test("[C4, W6] stop says what it did, by run or by session, and is idempotent", async () => {
  await using console_ = await openConsole();
  const { post } = console_;
  const sent = idsOf(await post("/chat/send", { session_id: "s1", prompt: "x" }));
  const claim = await s.claimed(console_.journal);
  await s.write(console_.journal, claim, d.started());
  const stopped = await post("/chat/stop", { run_id: sent.run });
  const emitted = { supported: true, action: "stop", run_id: sent.run, session_id: "s1" };
  assert.deepEqual(stopped.data, { ...emitted, status: "stopping", stop_requested: true });
  assert.deepEqual(flat(stopped), stopped.data);
  const again = await post("/chat/stop", { session_id: "s1" });
  assert.deepEqual(again.data, stopped.data);
  await s.write(console_.journal, claim, d.done(6, "cancelled"));
  const late = await post("/chat/stop", { run_id: sent.run });
  assert.deepEqual(late.data, { ...emitted, status: "not_active", stop_requested: false });
  const idle = await post("/chat/stop", { session_id: "s1" });
  assert.deepEqual([idle.data["run_id"], idle.data["stop_requested"]], [null, false]);
  const none = await post("/chat/stop", { run_id: "run_none" });
  assert.deepEqual([none.http, none.error.code], [404, "not_found"]);
  assert.equal(none.error["run_id"], "run_none", "flat, where the client looks");
  assert.equal(lacking(await post("/chat/stop", { session_id: "no" })), "session");
  assert.equal((await post("/chat/stop", {})).error.code, "invalid_run_id");
});

test("[C12, W6] retry of a session or a run says where it came from; undo takes back", async () => {
  await using console_ = await openConsole();
  const { post, get } = console_;
  assert.equal(lacking(await post("/chat/retry", { session_id: "s1" })), "session");
  const first = idsOf(await post("/chat/send", { session_id: "s1", prompt: "one" })).run;
  const busy = await post("/chat/retry", { session_id: "s1" });
  assert.deepEqual([busy.http, busy.error.code], [409, "run_active"]);
  await play(console_);
  const second = await post("/chat/retry", { session_id: "s1", command_id: "k1" });
  assert.equal(second.http, 200, JSON.stringify(second.body));
  assert.deepEqual(
    [second.data["retried_from_run_id"], second.data["status"], second.data["session_id"]],
    [first, "started", "s1"],
  );
  const repeated = await post("/chat/retry", { session_id: "s1", command_id: "k1" });
  assert.equal(idsOf(repeated).run, idsOf(second).run);
  assert.equal(repeated.data["retried_from_run_id"], first);
  await play(console_);
  const third = await post("/chat/retry", { run_id: idsOf(second).run, message_id: "k2" });
  assert.equal(third.data["retried_from_run_id"], idsOf(second).run);
  assert.deepEqual((await queuedOf(console_, idsOf(third).run)).message?.text, "one");
  await play(console_);
  const shown = (await get(`/chat/run/${idsOf(third).run}`)).data["run"] as object;
  assert.equal((shown as { source_run_id: string }).source_run_id, idsOf(second).run);
  const gone = await post("/chat/retry", { run_id: first });
  assert.deepEqual([gone.http, gone.error.code], [409, "nothing_to_retry"]);
  assert.equal(lacking(await post("/chat/retry", { run_id: "run_x" })), "run");
  assert.equal((await post("/chat/retry", {})).error.code, "invalid_run_id");
});

test("[C12, W6] undo takes the newest exchange back, once, and says when there is none", async () => {
  await using console_ = await openConsole();
  const { post, get } = console_;
  const one = idsOf(await post("/chat/send", { session_id: "s1", prompt: "one" })).run;
  await play(console_);
  const two = idsOf(await post("/chat/send", { session_id: "s1", prompt: "two" })).run;
  await play(console_);
  const early = await post("/chat/undo", { run_id: one });
  assert.deepEqual([early.http, early.error.code], [409, "not_newest"]);
  const undone = await post("/chat/undo", { run_id: two });
  assert.deepEqual(undone.data, {
    supported: true,
    action: "undo",
    session_id: "s1",
    run_id: two,
    run_ids: [two],
    status: "undone",
    undone: true,
  });
  assert.deepEqual(flat(undone), undone.data);
  const again = await post("/chat/undo", { run_id: two });
  assert.deepEqual([again.data["status"], again.data["undone"]], ["unavailable", false]);
  assert.equal((await console_.journal.reads.run(one))?.rewound_at, null, "only what was asked");
  const rest = await post("/chat/undo", { session_id: "s1", command_id: "u1" });
  assert.equal(rest.data["run_id"], one);
  const repeated = await post("/chat/undo", { session_id: "s1", command_id: "u1" });
  assert.equal(repeated.data["run_id"], one);
  const none = await post("/chat/undo", { session_id: "s1" });
  assert.deepEqual([none.http, none.data["status"]], [200, "unavailable"]);
  assert.equal(lacking(await post("/chat/undo", { session_id: "nobody" })), "session");
  const next = idsOf(await post("/chat/send", { session_id: "s1", prompt: "three" })).run;
  const shown = (await get(`/chat/run/${next}`)).data["run"] as { source_run_id: string | null };
  assert.equal(shown.source_run_id, null, "after an undo it is a new message, not a retry");
});

test("[W6] run/{id} has every field its client reads", async () => {
  await using console_ = await openConsole();
  const { post, get } = console_;
  const long = `say it\n${"x".repeat(1_000)}`;
  const { run, session } = idsOf(await post("/chat/send", { prompt: long }));
  const view = async () => (await get(`/chat/run/${run}`)).data["run"] as Record<string, unknown>;
  const queued = await view();
  assert.equal(queued["prompt"], long, "whole");
  assert.deepEqual(
    [queued["status"], queued["state"], queued["completed"], queued["final_response"]],
    ["started", "queued", false, null],
  );
  const claim = await s.claimed(console_.journal);
  await s.write(console_.journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await s.write(console_.journal, claim, d.status("awaiting_approval"));
  const waiting = await view();
  assert.deepEqual([waiting["status"], waiting["pending"]], ["running", ["ap_c1"]]);
  const end = d.done(8, "failed") as Extract<ReturnType<typeof d.done>, { type: "done" }>;
  const usage = { ...end.payload.usage, input_tokens: 5, output_tokens: 2, total_tokens: 7 };
  await s.write(console_.journal, claim, {
    type: "usage.updated",
    payload: { turn_id: "t1.1", provider: "demo", model: "demo", ...usage, duration_ms: 1 },
  });
  await s.write(console_.journal, claim, { ...end, payload: { ...end.payload, usage } });
  const failed = await view();
  const { created_at, updated_at, ended_at, ...rest } = failed;
  assert.ok([created_at, updated_at, ended_at].every((at) => typeof at === "number"));
  assert.deepEqual(rest, {
    session_id: session,
    run_id: run,
    prompt: long,
    status: "failed",
    state: "failed",
    model: "demo",
    provider: "demo",
    observed: true,
    completed: false,
    final_response: "",
    prompt_tokens: 5,
    completion_tokens: 2,
    total_tokens: 7,
    error: "It was boom.",
    error_type: "boom",
    source_run_id: null,
    parent_run_id: null,
    pending: [],
  });
  const missing = await get("/chat/run/run_none");
  assert.deepEqual(
    [missing.http, missing.error.code, missing.error["reason"]],
    [404, "not_found", "run_not_found"],
  );
  assert.equal((await get("/chat/run/a%20b")).error.code, "invalid_run_id");
});

test("[W6] a background run has a session of its own and is listed, the newest first", async () => {
  await using console_ = await openConsole();
  const { post, get } = console_;
  await post("/chat/send", { session_id: "s1", prompt: "front" });
  const one = await post("/chat/background", { prompt: "one", session_id: "s1", message_id: "b1" });
  const again = await post("/chat/background", { prompt: "one", message_id: "b1" });
  const two = await post("/chat/background", { message: "two" });
  assert.equal(one.data["status"], "started");
  assert.notEqual(idsOf(one).session, "s1");
  assert.equal(idsOf(again).run, idsOf(one).run);
  const listed = await get("/chat/backgrounds");
  const runs = listed.data["background_runs"] as { run_id: string; prompt: string }[];
  assert.deepEqual(
    runs.map(({ run_id, prompt }) => [run_id, prompt]),
    [
      [idsOf(two).run, "two"],
      [idsOf(one).run, "one"],
    ],
  );
  assert.deepEqual(flat(listed), listed.data);
  assert.equal((await get("/chat/backgrounds?limit=no")).error.code, "invalid_pagination");
  assert.equal(((await get("/chat/backgrounds?limit=1")).data["background_runs"] as []).length, 1);
});

test("[W6, W8, C16] a quick ask stays in its session, has no tools, and is no part of the conversation", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const sent = idsOf(await post("/chat/send", { session_id: "s1", prompt: "one" })).run;
  await play(console_);
  const ask = { session_id: "s1", prompt: "by the way?" };
  const asked = await post("/chat/btw", { ...ask, message_id: "b1" });
  assert.equal(asked.data["status"], "started_btw");
  const { run, session } = idsOf(asked);
  assert.equal(session, "s1", "its client goes on in the session it is told");
  const { queued } = await queuedOf(console_, run);
  assert.deepEqual([queued?.source, queued?.toolsets], ["btw", ["no-tools"]]);
  const again = await post("/chat/btw", { ...ask, message_id: "b1" });
  assert.deepEqual(idsOf(again), { run, session });
  assert.equal(again.data["duplicate"], true);
  await play(console_);
  // What is asked again is the conversation's newest, not the aside.
  const retried = await post("/chat/retry", { session_id: "s1" });
  assert.equal(retried.data["retried_from_run_id"], sent);
  assert.notEqual((await journal.reads.run(run))?.rewound_at, null);
});

test("[W8] a quick ask where there is nothing to borrow is asked all the same, once", async () => {
  await using console_ = await openConsole();
  const { post } = console_;
  const ask = { session_id: "new", prompt: "hello?", message_id: "b1" };
  const first = await post("/chat/btw", ask);
  assert.equal(first.http, 200, JSON.stringify(first.body));
  assert.equal(idsOf(first).session, "new");
  assert.deepEqual(idsOf(await post("/chat/btw", ask)), idsOf(first));
  assert.equal((await post("/chat/btw", { prompt: "hello?" })).http, 200);
});

test("[C11, W6] compress answers with the result, or with the run when it takes too long", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  assert.equal(lacking(await post("/chat/compress", { session_id: "s1" })), "session");
  await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
  const early = await post("/chat/compress", { session_id: "s1", focus_topic: "x" });
  const { compressed, reason, focus_topic } = early.data;
  assert.deepEqual([compressed, reason, focus_topic], [false, "not_enough_messages", "x"]);
  await post("/chat/send", { session_id: "s1", prompt: "one" });
  await play(console_);
  const slow = await post("/chat/compress", { session_id: "s1", wait_s: 0, command_id: "k" });
  assert.deepEqual([slow.data["status"], slow.data["compressed"]], ["started", false]);
  const waiting = post("/chat/compress", { session_id: "s1", command_id: "k" });
  const claim = await s.claimed(journal);
  assert.equal(claim.runId, slow.data["run_id"]);
  await s.write(
    journal,
    claim,
    d.started(),
    d.toolStarted("direct.c0"),
    d.compacted("short", null),
  );
  const seq = await s.write(journal, claim, d.toolDone("direct.c0"));
  await s.write(journal, claim, d.done(seq + 1, "completed", "short"));
  const done = await waiting;
  const { original_length, new_length, run_id } = done.data;
  assert.equal(done.data["compressed"], true);
  assert.deepEqual([original_length, new_length, run_id], [2, 1, claim.runId], "in messages");
  assert.deepEqual([done.data["original_tokens"], done.data["compacted_tokens"]], [1_000, 10]);
  assert.deepEqual(flat(done), done.data);
  assert.equal((await post("/chat/compress", {})).error.code, "invalid_session_id");
  const bad = await post("/chat/compress", { session_id: "s1", focus_topic: 5 });
  assert.equal(bad.error.code, "invalid_focus_topic");
});

test("[C11] a compression that was stopped compressed nothing", async () => {
  await using console_ = await openConsole();
  const { post } = console_;
  await post("/chat/send", { session_id: "s1", prompt: "one" });
  await play(console_);
  const slow = await post("/chat/compress", { session_id: "s1", wait_s: 0, command_id: "k" });
  await post("/chat/stop", { run_id: slow.data["run_id"] });
  const { data } = await post("/chat/compress", { session_id: "s1", command_id: "k" });
  assert.deepEqual([data["compressed"], data["reason"]], [false, "cancelled"]);
});
