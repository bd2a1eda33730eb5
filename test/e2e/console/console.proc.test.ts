// The web console's API with real processes: what a person does through it from the first message to the
// last, and that it is the same after everything was killed.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, type Answer, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerOf, approve, runInfo } from "../../support/runs.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ demo_delay_ms: 0 });
const program = await openPair(place);
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Data = Record<string, unknown>;
type Sent = { session_id: string; run_id: string; status: string };
const gui = <Reply = Data>(path: string, body?: object, headers = {}, server: Server = program) =>
  call<Reply>(server, body ? "POST" : "GET", `/api/gui${path}`, body, headers);
const send = (body: object, headers = {}) => gui<Sent>("/chat/send", body, headers);
const flat = <Reply>({ body }: Answer<Reply>) => {
  const { ok: _ok, data: _data, ...rest } = body as typeof body & Reply;
  return rest;
};
const said = async (runId: string) => answerOf((await followRun(() => program, runId)).events);

test("[C2, W6] chat/send starts a run and is idempotent by message_id or Idempotency-Key", async () => {
  const body = {
    session_id: "sess_123",
    conversation: "browser-chat",
    message: "say done",
    instructions: "Be concise.",
    attachments: [],
    model: "hermes-agent",
    message_id: "m-1",
  };
  const first = await send(body);
  assert.equal(first.status, 200);
  assert.equal(first.body.data.status, "started");
  assert.equal(first.body.data.session_id, "sess_123");
  assert.deepEqual(flat(first), first.body.data, "the real client reads the fields flat");
  const again = await send(body);
  assert.equal(again.body.data.run_id, first.body.data.run_id);
  const other = await send({ session_id: "sess_123", message: "say other", message_id: "m-1" });
  assert.equal(other.status, 409);
  assert.equal(other.body.error.code, "idempotency_conflict");

  const key = { "idempotency-key": "key-1" };
  const keyed = await send({ session_id: "sess_123", prompt: "say keyed" }, key);
  const repeated = await send({ session_id: "sess_123", prompt: "say keyed" }, key);
  assert.equal(repeated.body.data.run_id, keyed.body.data.run_id);
  assert.deepEqual(await said(keyed.body.data.run_id), ["keyed"]);
});

test("[C4, W6] chat/stop stops a run, says so, and says when there is nothing to stop", async () => {
  const { body } = await send({ message: "pace 5\ncount 2000" });
  const { run_id, session_id } = body.data;
  const stop = () => gui("/chat/stop", { run_id });
  const emitted = { supported: true, action: "stop", run_id, session_id };
  assert.deepEqual((await stop()).body.data, {
    ...emitted,
    status: "stopping",
    stop_requested: true,
  });
  await followRun(() => program, run_id);
  assert.equal((await runInfo(program, run_id)).status, "cancelled");
  const late = await stop();
  assert.equal(late.status, 200);
  assert.equal(late.body.data["stop_requested"], false);
  const { body: shown } = await gui<{ run: Data }>(`/chat/run/${run_id}`);
  assert.deepEqual(
    [shown.data.run["status"], shown.data.run["error_type"]],
    ["cancelled", "cancelled"],
  );
  const missing = await gui("/chat/stop", { run_id: "run_none" });
  assert.deepEqual([missing.status, missing.body.error.code], [404, "not_found"]);
});

test("[H1, W6] health and meta answer in the seed's envelope", async () => {
  const health = await gui("/health");
  const { status, product } = health.body.data;
  assert.deepEqual({ status, product }, { status: "ok", product: "hermes-web-console" });
  const { body } = await gui("/meta");
  assert.equal(body.ok, true);
  assert.equal(body.data["stream_base"], "/api/gui/stream");
  assert.equal(body.data["schema_version"], 1);
});

async function pending(sessionId: string): Promise<Data[]> {
  const path = `/human/pending?session_id=${sessionId}`;
  return (await gui<{ pending: Data[] }>(path)).body.data.pending;
}
const asked = async (sessionId: string) =>
  until(async () => (await pending(sessionId))[0], "something to answer");

test("[W5, W6] polled as the real client does: approve, deny, answer, and what it was told", async () => {
  const session_id = "session-1774836602123";
  const { body } = await send({
    session_id,
    prompt:
      "exec echo yes > a.txt\nexec echo no > b.txt\nclarify Which one? | left | right\nsay end",
  });
  const first = await asked(session_id);
  assert.deepEqual([first["kind"], first["tool_name"]], ["approval", "exec"]);
  assert.equal(first["command"], "echo yes > a.txt");
  const { request_id } = first;
  const yes = await gui("/human/approve", { request_id, decision: "once" });
  assert.equal(yes.body.data["status"], "approved");
  const next = await until(async () => {
    const [one] = await pending(session_id);
    return one && one["request_id"] !== request_id ? one : undefined;
  }, "the second command");
  await gui("/human/deny", { request_id: next["request_id"], feedback: "Not there." });
  const question = await until(async () => {
    const [one] = await pending(session_id);
    return one?.["kind"] === "clarify" ? one : undefined;
  }, "the question");
  assert.deepEqual(question["choices"], ["left", "right"]);
  await gui("/human/clarify", { request_id: question["request_id"], response: "left" });
  const { events } = await followRun(() => program, body.data.run_id);
  const by = events.flatMap((event) =>
    event.type === "approval.resolved" || event.type === "clarify.resolved"
      ? [[event.payload.by, event.payload.status]]
      : [],
  );
  assert.deepEqual(by, [
    ["console", "approved"],
    ["console", "denied"],
    ["console", "answered"],
  ]);
  assert.deepEqual(await pending(session_id), []);
  const late = await gui("/human/deny", { request_id });
  assert.deepEqual([late.status, late.body.error.code], [409, "already_answered"]);
});

test("[C12, W6] retry says it again, undo takes it back, and the run names its source", async () => {
  const session_id = "again";
  const { body } = await send({ session_id, prompt: "say first" });
  await said(body.data.run_id);
  const again = await gui<Sent>("/chat/retry", { session_id });
  assert.equal((again.body.data as unknown as Data)["retried_from_run_id"], body.data.run_id);
  const { run_id } = again.body.data;
  assert.deepEqual(await said(run_id), ["first"]);
  const { body: shown } = await gui<{ run: Data }>(`/chat/run/${run_id}`);
  const { source_run_id, completed, final_response, status } = shown.data.run;
  assert.deepEqual([source_run_id, completed, status], [body.data.run_id, true, "completed"]);
  assert.equal(String(final_response).trim(), "first");
  const undone = await gui("/chat/undo", { session_id });
  assert.deepEqual([undone.body.data["run_id"], undone.body.data["status"]], [run_id, "undone"]);
});

test("[C11, W6] compress waits for its result", async () => {
  const session_id = "long";
  for (const word of ["one", "two"]) {
    await said((await send({ session_id, prompt: `say ${word}` })).body.data.run_id);
  }
  const { body } = await gui("/chat/compress", { session_id, focus_topic: "numbers" });
  const { compressed, original_length, new_length, focus_topic, summary } = body.data;
  assert.deepEqual([compressed, focus_topic], [true, "numbers"]);
  assert.ok(Number(original_length) > 0 && Number(new_length) > 0);
  assert.match(String(summary), /say two/);
});

test("[W8] after everything was killed the same message is the same run", async () => {
  using elsewhere = newTestHome({ demo_delay_ms: 0 });
  const body = { session_id: "s", prompt: "say once", client_message_id: "c-1" };
  const ask = { session_id: "s", prompt: "say aside", message_id: "c-2" };
  const outcomes: Data[][] = [];
  for (let round = 0; round < 2; round += 1) {
    await using server = await openPair(elsewhere, { apart: ["serve", "work"] });
    const sent = await gui<Sent>("/chat/send", body, {}, server);
    await followRun(() => server, sent.body.data.run_id);
    const aside = await gui<Sent>("/chat/btw", ask, {}, server);
    const ids = [sent, aside].map(({ body: { data } }) => {
      const { run_id, session_id } = data;
      return { run_id, session_id };
    });
    outcomes.push(ids);
    await server.killAll();
  }
  assert.deepEqual(outcomes[1], outcomes[0]);
});

test("[W6] a quick ask knows the conversation, has no tools, and the conversation never hears of it", async () => {
  await using model = await startAgent((request) => [
    { say: `I was told ${messagesIn(request).filter(({ role }) => role === "user").length}.` },
  ]);
  using elsewhere = newTestHome({ base_url: model.baseUrl, model: "scripted/agent" });
  await using server = await openPair(elsewhere);
  const ask = async (path: string, prompt: string) => {
    const { body } = await gui<Sent>(path, { session_id: "s", prompt }, {}, server);
    await followRun(() => server, body.data.run_id);
    return body.data;
  };
  await ask("/chat/send", "Remember the bell.");
  const aside = await ask("/chat/btw", "By the way?");
  assert.equal(aside.status, "started_btw");
  await ask("/chat/send", "Go on.");
  const [first, quick, second] = model.requests;
  assert.ok(first && quick && second);
  assert.deepEqual(
    [isSideQuestion(first), isSideQuestion(quick), isSideQuestion(second)],
    [false, true, false],
  );
  assert.match(JSON.stringify(quick.body), /Remember the bell/);
  assert.match(JSON.stringify(quick.body), /By the way/);
  assert.ok(!JSON.stringify(second.body).includes("By the way"));
});

test("[W6] history a client brings is what the model is told", async () => {
  await using model = await startAgent([{ say: "Good." }]);
  using elsewhere = newTestHome({ base_url: model.baseUrl, model: "scripted/agent" });
  await using server = await openPair(elsewhere);
  const conversation_history = [
    { role: "user", content: "My name is Ada." },
    { role: "assistant", content: "Hello Ada." },
  ];
  const sent = await gui<Sent>(
    "/chat/send",
    { prompt: "Who am I?", conversation_history, ephemeral_system_prompt: "Answer in rhyme." },
    {},
    server,
  );
  await followRun(() => server, sent.body.data.run_id);
  const [request] = model.requests;
  assert.ok(request);
  const emitted = messagesIn(request).map(({ role, content }) => [role, content]);
  assert.deepEqual(emitted.slice(-3), [
    ["user", "My name is Ada."],
    ["assistant", "Hello Ada."],
    ["user", "Who am I?"],
  ]);
  assert.match(String(emitted[0]?.[1]), /Answer in rhyme/);
});

test("[W6] tools, toolsets, models, profiles and servers of foreign tools are what there is", async () => {
  using elsewhere = newTestHome({ demo_delay_ms: 0 });
  const folder = join(elsewhere.home, "profiles", "default");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const env = { KEY: "not-for-pages" };
  const mcp = { files: { transport: "stdio", command: "npx", args: ["x"], env } };
  writeFileSync(join(folder, "profile.json"), JSON.stringify({ mcp, tools: ["read", "exec"] }));
  await using server = await openPair(elsewhere);
  const ask = async <Reply = Data>(path: string, body?: object) =>
    (await gui<Reply>(path, body, {}, server)).body.data;
  type Listed = Record<string, Data[]>;

  const { tools = [] } = await ask<Listed>("/tools");
  const read = tools.find(({ name }) => name === "read");
  assert.deepEqual([read?.["toolset"], read?.["is_available"]], ["file", true]);
  assert.ok(read?.["description"] && read["parameters"]);
  assert.equal(tools.find(({ name }) => name === "write")?.["is_available"], false);
  assert.ok(
    !tools.some(({ name }) => name === "rollback"),
    "no model is offered a person's command",
  );
  const { toolsets = [] } = await ask<Listed>("/toolsets");
  const enabled = toolsets.filter((set) => set["enabled"]).map(({ key }) => key);
  assert.deepEqual(enabled, ["file", "terminal"]);

  const active = await ask("/models/active");
  assert.deepEqual([active["provider"], active["model"]], ["demo", "demo"]);
  const { providers = [] } = await ask<Listed>("/models/catalog");
  assert.deepEqual(providers.find(({ slug }) => slug === "demo")?.["models"], ["demo"]);
  await gui<Sent>("/chat/send", { session_id: "one", prompt: "say hi" }, {}, server);
  const switched = await ask("/models/switch", { model: "demo", session_id: "one" });
  assert.deepEqual([switched["new_model"], switched["is_global"]], ["demo", false]);
  const unknown = await gui("/models/switch", { model: "nobody/knows" }, {}, server);
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, "invalid_request"]);

  const { profiles = [], active_profile } = (await ask("/profiles")) as Listed & Data;
  assert.equal(active_profile, "default");
  assert.deepEqual([profiles[0]?.["name"], profiles[0]?.["is_active"]], ["default", true]);
  const { servers = [] } = await ask<Listed>("/mcp/servers");
  assert.deepEqual([servers[0]?.["name"], servers[0]?.["transport"]], ["files", "stdio"]);
  assert.ok(!JSON.stringify([servers, profiles]).includes("not-for-pages"));
});

test("[W6] a command that was stopped has how long it ran, and an end after its start", async () => {
  const { body } = await send({ session_id: "stopped", prompt: "exec sleep 300" });
  const { run_id } = body.data;
  await until(async () => (await runInfo(program, run_id)).pending_approval_id, "the approval");
  await approve(program, run_id);
  const running = async () =>
    (await gui<{ tools: Data[] }>("/sessions/stopped/transcript")).body.data.tools[0];
  await until(async () => (await running())?.["status"] === "running", "the command to run");
  await gui("/chat/stop", { run_id });
  const { events } = await followRun(() => program, run_id);
  const done = events.find(({ type }) => type === "tool.done")?.payload as { duration_ms: number };
  assert.ok(done.duration_ms > 0);
  const call = await running();
  assert.equal(call?.["status"], "cancelled");
  assert.ok(String(call?.["completed_at"]) > String(call?.["started_at"]));
});
