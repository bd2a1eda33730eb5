// Starting, stopping and steering from a browser: exactly the answers of the run contract, and nothing of
// a run's insides in them.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { eventsOf } from "../../../test/support/runs.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { TOKEN } from "../../../test/support/app-deps.ts";
import { ask, serveWebui, startChat, watchChat } from "../../../test/support/windows/webui.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import { csrfFor, issueCookie } from "../../kernel/server/token.ts";

async function serving() {
  const store = sqliteStore();
  const journal = await store.connect();
  const server = await serveWebui(journal, store.home);
  return {
    journal,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const WHITELIST = [
  "effective_model",
  "effective_model_provider",
  "pending_started_at",
  "session_id",
  "stream_id",
  "title",
  "turn_id",
];

test("[W6] a start answers the contract's fields, of a session that was or was not there", async () => {
  await using at = await serving();
  const body = {
    session_id: "20260514_abc",
    message: "Say hello",
    model: "anthropic/claude-sonnet-4.6",
    model_provider: "anthropic",
    workspace: tmpdir(),
    profile: "default",
    attachments: [],
    explicit_model_pick: true,
    moa_config: { any: 1 },
  };
  const { status, body: started } = await ask(at.server, "POST", "/api/chat/start", body);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(started).toSorted(), WHITELIST);
  assert.equal(started["session_id"], "20260514_abc");
  assert.equal(started["effective_model"], "anthropic/claude-sonnet-4.6");
  assert.equal(started["effective_model_provider"], "anthropic");
  assert.equal(started["title"], "Say hello");
  const events = await s.runEvents(at.journal, String(started["stream_id"]));
  assert.equal(eventsOf(events, "message.user")[0]?.payload.message_id, started["turn_id"]);
  assert.equal(events[0]?.created_at, started["pending_started_at"]);
  const queued = eventsOf(events, "run.queued")[0]?.payload;
  assert.deepEqual([queued?.workspace, queued?.source], [tmpdir(), "webui"]);
});

test("[W6, C3] a session that is busy says so with the run in the way; nothing is queued", async () => {
  await using at = await serving();
  const { stream_id } = await startChat(at.server, "s1", "one");
  const second = await ask(at.server, "POST", "/api/chat/start", {
    session_id: "s1",
    message: "two",
  });
  assert.equal(second.status, 409);
  assert.deepEqual(second.body, {
    error: "session already has an active stream",
    code: "session_busy",
    active_stream_id: stream_id,
  });
  assert.equal((await at.journal.reads.runsOf("s1")).length, 1);
});

test("[W8] the same message twice is one run, also while it is active and after it ended", async () => {
  await using at = await serving();
  const keyed = { message_id: "k1" };
  const first = await startChat(at.server, "s1", "one", keyed);
  assert.deepEqual(await startChat(at.server, "s1", "one", keyed), first);
  const other = await ask(at.server, "POST", "/api/chat/start", {
    session_id: "s1",
    message: "other words",
    ...keyed,
  });
  assert.deepEqual([other.status, other.body["code"]], [409, "idempotency_conflict"]);
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started());
  await s.end(at.journal, claim);
  assert.deepEqual(await startChat(at.server, "s1", "one", keyed), first);
  const header = { "idempotency-key": "k2" };
  const body = { session_id: "s1", message: "two" };
  const sent = await ask(at.server, "POST", "/api/chat/start", body, header);
  const again = await ask(at.server, "POST", "/api/chat/start", body, header);
  assert.equal(again.body["stream_id"], sent.body["stream_id"]);
});

test("[W6, C12] regenerate says the newest again and leaves the first answer out", async () => {
  await using at = await serving();
  const none = await ask(at.server, "POST", "/api/chat/start", {
    session_id: "s1",
    message: "x",
    regenerate: true,
  });
  assert.equal(none.status, 404);
  const runId = await s.exchange(at.journal, "hello");
  const again = await startChat(at.server, "s1", "whatever", { regenerate: true });
  assert.notEqual(again.stream_id, runId);
  const events = await s.runEvents(at.journal, again.stream_id);
  assert.equal(eventsOf(events, "message.user")[0]?.payload.text, "hello");
  assert.notEqual((await at.journal.reads.run(runId))?.rewound_at, null);
});

test("[W6] files come along by name and kind, at most twenty; where they lie stays known", async () => {
  await using at = await serving();
  const attachments = [
    "/tmp/uploads/notes.txt",
    { name: "chart.png", path: "/tmp/uploads/chart.png", mime: "image/png", size: 12 },
    { filename: "odd" },
  ];
  const { stream_id } = await startChat(at.server, "s1", "look", { attachments });
  const events = await s.runEvents(at.journal, stream_id);
  assert.deepEqual(eventsOf(events, "message.user")[0]?.payload.attachments, [
    { name: "notes.txt", media_type: "application/octet-stream" },
    { name: "chart.png", media_type: "image/png", bytes: 12 },
    { name: "odd", media_type: "application/octet-stream" },
  ]);
  assert.deepEqual(eventsOf(events, "run.queued")[0]?.payload.metadata, {
    attachment_paths: ["/tmp/uploads/notes.txt", "/tmp/uploads/chart.png"],
  });
  const many = Array.from({ length: 21 }, (_, index) => `f${index}`);
  const body = { session_id: "s2", message: "look", attachments: many };
  const refused = await ask(at.server, "POST", "/api/chat/start", body);
  assert.equal(refused.status, 400);
  assert.match(String(refused.body["error"]), /20 attachments/);
});

test("[W6] a model is taken with its provider; a bare name changes nothing", async () => {
  await using at = await serving();
  const models = [
    [{ model: "claude", model_provider: "anthropic" }, "anthropic/claude"],
    [{ model: "anthropic/claude", model_provider: "openrouter" }, "openrouter/anthropic/claude"],
    [{ model: "claude", provider: "anthropic" }, "anthropic/claude"], // the run contract's name
    [{ model: "openai/gpt" }, "openai/gpt"],
    [{ model: "hermes-agent" }, "demo/demo"],
    [{ model: null, model_provider: null }, "demo/demo"],
  ] as const;
  for (const [index, [given, effective]] of models.entries()) {
    const { effective_model } = await startChat(at.server, `s${index}`, "go", given);
    assert.equal(effective_model, effective, JSON.stringify(given));
  }
});

test("[W6] what cannot be read is refused with a sentence in error", async () => {
  await using at = await serving();
  const bodies = [
    [{}, 400, "invalid_request"],
    [{ session_id: "s1" }, 400, "invalid_request"],
    [{ session_id: "s1", message: "  " }, 400, "invalid_request"],
    [{ session_id: "../etc", message: "x" }, 400, "invalid_request"],
    [{ session_id: "s1", message: "x", project_id: "nowhere" }, 400, "invalid_request"],
    [[], 400, "invalid_request"],
    ["{", 400, "invalid_json"],
  ] as const;
  for (const [body, status, code] of bodies) {
    const refused = await ask(at.server, "POST", "/api/chat/start", body);
    const about = JSON.stringify([body, refused]);
    assert.equal(typeof refused.body["error"], "string", about);
    assert.deepEqual([refused.status, refused.body["code"]], [status, code], about);
  }
  assert.deepEqual(await at.journal.reads.sessions({ limit: 5, offset: 0 }), []);
});

test("[W6, C4] cancel says whether there was something to stop, as often as it is asked", async () => {
  await using at = await serving();
  const { stream_id } = await startChat(at.server, "s1", "one");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started());
  const path = `/api/chat/cancel?stream_id=${stream_id}`;
  const answers = [
    await ask(at.server, "GET", path),
    await ask(at.server, "POST", path),
    await ask(at.server, "POST", "/api/chat/cancel", { stream_id }),
  ];
  for (const { status, body } of answers) {
    assert.deepEqual([status, body], [200, { ok: true, cancelled: true, stream_id }]);
  }
  await s.write(at.journal, claim, d.done(6, "cancelled"));
  const late = await ask(at.server, "POST", path);
  assert.deepEqual(late.body, { ok: true, cancelled: false, stream_id });
  const events = await s.runEvents(at.journal, stream_id);
  assert.equal(events.filter(({ terminal }) => terminal).length, 1);
  for (const unknown of ["nobody", "../x", "%00"]) {
    const { status, body } = await ask(at.server, "GET", `/api/chat/cancel?stream_id=${unknown}`);
    assert.deepEqual([status, body["cancelled"]], [200, false]);
  }
  assert.equal((await ask(at.server, "POST", "/api/chat/cancel", {})).status, 400);
});

test("[A2, W6] no link can stop a run: a GET needs the proof of the login, and comes from our page", async () => {
  await using at = await serving();
  const { stream_id } = await startChat(at.server, "s1", "one");
  const cookie = issueCookie(TOKEN, Date.now() / 1000);
  const logged = { authorization: "", cookie: `qd_session=${cookie}` };
  const path = `/api/chat/cancel?stream_id=${stream_id}`;
  assert.equal((await ask(at.server, "GET", path, undefined, logged)).status, 401);
  const status = `/api/chat/stream/status?stream_id=${stream_id}`;
  assert.equal((await ask(at.server, "GET", status, undefined, logged)).status, 401);
  const proven = { ...logged, "x-quarterdeck-csrf": csrfFor(TOKEN, cookie) };
  for (const site of ["cross-site", "same-site"]) {
    const linked = await ask(at.server, "GET", path, undefined, {
      ...proven,
      "sec-fetch-site": site,
    });
    assert.deepEqual([linked.status, linked.body["code"]], [403, "bad_origin"]);
  }
  assert.equal((await at.journal.reads.run(stream_id))?.status, "queued");
  const stopped = await ask(at.server, "GET", path, undefined, proven);
  assert.deepEqual(stopped.body, { ok: true, cancelled: true, stream_id });
});

test("[W6] a steer joins the active run, or says why it did not", async () => {
  await using at = await serving();
  const steer = (body: object) => ask(at.server, "POST", "/api/chat/steer", body);
  const missing = await steer({ session_id: "s1", text: "also red" });
  assert.deepEqual(missing.body, {
    accepted: false,
    fallback: "session_not_found",
    stream_id: null,
  });
  const { stream_id } = await startChat(at.server, "s1", "one");
  const taken = await steer({ session_id: "s1", text: "also red" });
  assert.deepEqual(taken.body, { accepted: true, fallback: null, stream_id });
  const said = eventsOf(await s.runEvents(at.journal, stream_id), "message.user");
  assert.deepEqual(
    said.map(({ payload }) => [payload.mode, payload.text]),
    [
      ["start", "one"],
      ["steer", "also red"],
    ],
  );
  await at.journal.commands.cancelRun(stream_id, {});
  const idle = await steer({ session_id: "s1", text: "too late" });
  assert.equal(idle.body["fallback"], "not_running");
  for (const body of [{ text: "x" }, { session_id: "s1" }, { session_id: "s1", text: " \n" }]) {
    assert.equal((await steer(body)).status, 400);
  }
});

test("[W3, W6] where a stream stands is told in the numbers of its ids", async () => {
  await using at = await serving();
  const statusOf = async (id: string) =>
    (await ask(at.server, "GET", `/api/chat/stream/status?stream_id=${id}`)).body;
  assert.deepEqual(await statusOf("nobody"), {
    active: false,
    stream_id: "nobody",
    replay_available: false,
  });
  const { stream_id } = await startChat(at.server, "s1", "one");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.turnStarted(1), d.token("m1", "Hi"));
  await s.write(at.journal, claim, d.said("m1", "Hi"), d.turnCompleted(1));
  const live = await watchChat(at.server, stream_id, { take: 3 });
  const last = live.emitted.at(-1);
  assert.deepEqual(await statusOf(stream_id), {
    active: true,
    stream_id,
    replay_available: true,
    journal: {
      session_id: "s1",
      run_id: stream_id,
      last_seq: last?.seq,
      last_event_id: last?.id,
      last_event: "token",
      terminal: false,
      terminal_state: "running",
    },
  });
  await s.end(at.journal, claim);
  const all = await watchChat(at.server, stream_id);
  const end = all.emitted.at(-1);
  const { active, journal } = await statusOf(stream_id);
  assert.equal(active, false);
  assert.deepEqual(journal, {
    session_id: "s1",
    run_id: stream_id,
    last_seq: end?.seq,
    last_event_id: end?.id,
    last_event: "stream_end",
    terminal: true,
    terminal_state: "completed",
  });
  assert.equal((await ask(at.server, "GET", "/api/chat/stream/status")).status, 400);
});
