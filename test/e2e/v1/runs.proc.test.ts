// `/v1/runs` for both kinds of client: gateways (`input`, SSE) and the web UI's runner client (`message`,
// JSON polling on the same path), against the real program.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readEvents } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ demo_delay_ms: 0 });
const program = await openPair(place, { apart: ["serve"] });
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Body = Record<string, unknown> & { error: { code: string; message: string; type: string } };

async function ask(method: string, path: string, body?: unknown, headers: object = {}) {
  const response = await fetch(`${program.url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${program.token}`,
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = (text === "" ? {} : JSON.parse(text)) as Body;
  return { status: response.status, headers: response.headers, body: parsed };
}

const start = async (input: string, extra: object = {}, headers: object = {}) =>
  ask("POST", "/runs", { input, ...extra }, headers);
const statusOf = async (runId: unknown) => (await ask("GET", `/runs/${String(runId)}`)).body;
const ended = (runId: unknown) =>
  until(async () => (await statusOf(runId))["terminal_state"] !== null);
const waits = (runId: unknown, field = "pending_approval_id") =>
  until(async () => (await statusOf(runId))[field] !== null);

type Emitted = Record<string, unknown> & { event: string };
async function stream(runId: unknown, options: { after?: string; take?: number } = {}) {
  const { frames, status } = await readEvents(program, `/v1/runs/${String(runId)}/events`, options);
  const events = frames
    .filter(({ data }) => data !== "")
    .map(({ data }) => JSON.parse(data) as Emitted);
  return { ids: frames.flatMap(({ id }) => (id === undefined ? [] : [id])), events, status };
}

test("[W6, C2] a run is started once per Idempotency-Key, whatever restarts", async () => {
  const key = { "idempotency-key": "start-1" };
  const first = await start("say one", {}, key);
  assert.equal(first.status, 202);
  assert.match(String(first.body["run_id"]), /^run_[0-9a-f]{32}$/);
  assert.deepEqual([first.body["status"], first.body["replayed"]], ["started", false]);
  await program.kill("serve");
  await until(async () => (await start("say one", {}, key).catch(() => null))?.status === 202);
  const again = await start("say one", {}, key);
  assert.equal(again.body["run_id"], first.body["run_id"]);
  assert.equal(again.body["replayed"], true);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  const other = await start("say two", {}, key);
  assert.deepEqual([other.status, other.body.error.code], [409, "idempotency_key_conflict"]);
  const elsewhere = await start("say one", { session_id: "another" }, key);
  assert.equal(elsewhere.body.error.code, "idempotency_key_conflict");
  const bad = await start("say one", {}, { "idempotency-key": "x".repeat(256) });
  assert.deepEqual([bad.status, bad.body.error.code], [400, "invalid_idempotency_key"]);
});

test("[W1, W3] the stream has ids, replays to any number of readers, and goes on after any of them", async () => {
  const { body } = await start("think Hm.\nsay Hello you there.\nread nothing.txt\nsay Done.");
  const all = await stream(body["run_id"]);
  const names = new Set(all.events.map(({ event }) => event));
  for (const name of [
    "message.delta",
    "reasoning.delta",
    "reasoning.available",
    "tool.started",
    "tool.completed",
    "run.completed",
  ]) {
    assert.ok(names.has(name), name);
  }
  const last = all.events.at(-1);
  assert.equal(last?.event, "run.completed");
  assert.match(String(last?.["output"]), /Done\./);
  assert.deepEqual(await stream(body["run_id"]), all, "not a queue that one reader empties");
  for (const [at, id] of all.ids.entries()) {
    if (at % 5 !== 0 || at === all.ids.length - 1) continue;
    const rest = await stream(body["run_id"], { after: id });
    assert.deepEqual(rest.ids, all.ids.slice(at + 1), id);
  }
  const over = await stream(body["run_id"], { after: all.ids.at(-1) ?? "" });
  assert.equal(over.status, 204);
  assert.equal((await stream(body["run_id"], { after: "run_other:3" })).status, 409);
  const text = all.events.filter(({ event }) => event === "message.delta");
  assert.match(text.map(({ delta }) => String(delta)).join(""), /Hello you there\./);
});

type Polled = {
  event: string;
  event_id: string;
  run_id: string;
  session_id: string;
  terminal: boolean;
};

test("[W6] the runner client polls the same path for JSON, and sees things as they happen", async () => {
  const { body } = await ask("POST", "/runs", {
    session_id: "webui-1",
    message: "say Polled answer.\nexec echo hi",
    attachments: [],
    workspace: place.workspace,
    profile: "default",
    provider: "demo",
    model: "demo",
    toolsets: [],
    source: "webui",
    metadata: { a: 1 },
  });
  assert.equal(body["session_id"], "webui-1");
  const names: string[] = [];
  const seen = new Set<unknown>();
  let cursor = "0";
  const pull = async () => {
    const page = (await ask("GET", `/runs/${String(body["run_id"])}/events?cursor=${cursor}`)).body;
    cursor = String(page["cursor"]);
    for (const { event, event_id, ...about } of page["events"] as Polled[]) {
      const terminal = event === "done" || event === "stream_end";
      const { run_id, session_id } = body;
      assert.deepEqual(
        [about.run_id, about.session_id, about.terminal],
        [run_id, session_id, terminal],
      );
      assert.ok(!seen.has(event_id), `${event_id} twice`);
      seen.add(event_id);
      names.push(event);
    }
  };
  while (!names.includes("approval")) await pull();
  const waiting = await statusOf(body["run_id"]);
  assert.deepEqual(
    [waiting["status"], waiting["lifecycle"]],
    ["awaiting_approval", "awaiting_approval"],
  );
  const approval_id = waiting["pending_approval_id"];
  const answer = await ask("POST", `/runs/${String(body["run_id"])}/approval`, {
    choice: "once",
    approval_id,
  });
  assert.deepEqual([answer.status, answer.body["resolved"]], [200, 1]);
  // An event id is a cursor too.
  cursor = `${String(body["run_id"])}:${cursor}`;
  while (!names.includes("stream_end")) await pull();
  assert.ok(names.includes("token") && names.includes("tool") && names.includes("done"));
  assert.equal(names.filter((name) => name === "done").length, 1);
  const after = await ask("GET", `/runs/${String(body["run_id"])}/events?cursor=${cursor}`);
  assert.deepEqual(after.body["events"], []);
});

test("[W5] approvals: aliases, named ones, all of them; the loser is told", async () => {
  const { body } = await start("exec echo a");
  const path = `/runs/${String(body["run_id"])}/approval`;
  await waits(body["run_id"]);
  const wrong = await ask("POST", path, { choice: "perhaps" });
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, "invalid_approval_choice"]);
  const foreign = await ask("POST", path, { choice: "once", request_id: "nobody" });
  assert.deepEqual([foreign.status, foreign.body.error.code], [409, "approval_not_pending"]);
  const both = await Promise.all([
    ask("POST", path, { choice: "approve", all: true }),
    ask("POST", path, { choice: "deny", all: true }),
  ]);
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  await ended(body["run_id"]);
  const late = await ask("POST", path, { choice: "once" });
  assert.deepEqual([late.status, late.body.error.code], [409, "approval_not_active"]);
});

test("[W5] questions, steering, queueing, goals and stopping, in this API's words", async () => {
  const { body } = await start("clarify Which? | a | b\nsay Chosen.");
  const run = `/runs/${String(body["run_id"])}`;
  await waits(body["run_id"], "pending_clarify_id");
  const steered = await ask("POST", `${run}/steer`, { text: "and be quick" });
  assert.deepEqual([steered.status, steered.body["accepted"]], [200, true]);
  const queued = await ask("POST", `${run}/messages`, { message: "say Later.", mode: "queue" });
  assert.deepEqual([queued.status, queued.body["ok"]], [200, true]);
  const id = String((await statusOf(body["run_id"]))["pending_clarify_id"]);
  const answered = await ask("POST", `${run}/clarifications/${id}/respond`, { response: "b" });
  assert.equal(answered.status, 200);
  const twice = await ask("POST", `${run}/clarifications/${id}/respond`, { response: "a" });
  assert.deepEqual([twice.status, twice.body["accepted"]], [200, false], "a result, no error");
  await ended(body["run_id"]);
  await ended(queued.body["run_id"]);
  const late = await ask("POST", `${run}/steer`, { input: "too late" });
  assert.deepEqual([late.status, late.body.error.code], [409, "run_not_accepting_steer"]);
  const goal = `/sessions/${String(body["session_id"])}/goal`;
  assert.equal((await ask("POST", goal, { action: "status" })).status, 200);
  const stopped = await ask("POST", `${run}/stop`, {});
  assert.deepEqual([stopped.status, stopped.body["status"]], [200, "completed"]);

  const long = (await start("pace 20\nsay one two three four five six seven eight nine ten")).body;
  await until(async () => (await statusOf(long["run_id"]))["status"] === "running");
  const stop = await ask("POST", `/runs/${String(long["run_id"])}/cancel`, {});
  assert.deepEqual([stop.body["accepted"], stop.body["status"]], [true, "accepted"]);
  await ended(long["run_id"]);
  assert.equal((await stream(long["run_id"])).events.at(-1)?.event, "run.cancelled");
});

test("[W6] bad input gets this API's errors, and is never a 5xx", async () => {
  const cases: [string, string, unknown, number, string][] = [
    ["POST", "/runs", {}, 400, "missing_input"],
    ["POST", "/runs", { input: "" }, 400, "missing_input"],
    ["POST", "/runs", { input: [{ role: "assistant", content: "x" }] }, 400, "missing_input"],
    ["POST", "/runs", "{", 400, "invalid_json"],
    ["POST", "/runs", { input: 7 }, 400, "invalid_request"],
    ["POST", "/runs", { input: "x", session_id: "no spaces" }, 400, "invalid_request"],
    ["GET", "/runs/run_nobody", undefined, 404, "run_not_found"],
    ["GET", "/runs/..%2f", undefined, 404, "run_not_found"],
    ["POST", "/runs/run_nobody/stop", {}, 404, "run_not_found"],
    ["POST", "/sessions/nobody/goal", { action: "set", text: "x" }, 404, "session_not_found"],
    ["GET", "/nothing", undefined, 404, "unknown_url"],
  ];
  for (const [method, path, body, status, code] of cases) {
    const reply = await ask(method, path, body);
    assert.deepEqual([reply.status, reply.body.error.code], [status, code], `${method} ${path}`);
    assert.equal(typeof reply.body.error.message, "string");
  }
  const stranger = await fetch(`${program.url}/v1/runs/x`);
  assert.equal(stranger.status, 401);
  assert.ok(((await stranger.json()) as Body).error.message);
});

test("[W6] capabilities and health say what third-party clients look for", async () => {
  const { body } = await ask("GET", "/capabilities");
  assert.deepEqual(
    [body["object"], body["platform"]],
    ["hermes.api_server.capabilities", "hermes-agent"],
  );
  const endpoints = body["endpoints"] as Record<string, { method: string; path: string }>;
  assert.deepEqual(endpoints["runs"], { method: "POST", path: "/v1/runs" });
  assert.equal((await fetch(`${program.url}/health`)).status, 200);
  assert.equal((await fetch(`${program.url}/v1/health`)).status, 200);
  assert.equal((await fetch(`${program.url}/health/detailed`)).status, 401);
});

test("[W6] a history is told to the model and not to the session", async () => {
  const { body } = await ask("POST", "/runs", {
    input: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "say earlier" },
      { role: "assistant", content: [{ type: "text", text: "earlier" }] },
      { role: "user", content: "say now" },
    ],
  });
  await ended(body["run_id"]);
  const { events } = await stream(body["run_id"]);
  assert.match(String(events.at(-1)?.["output"]), /now/);
});
