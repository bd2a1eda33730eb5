// The routes of the web console seed, in the shapes of its document and of its real client.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { followRun } from "../support/follow.ts";
import { call, type Answer } from "../support/http.ts";
import { newPlace, startProgram } from "../support/program.ts";
import { answerOf, runInfo } from "../support/runs.ts";

const place = newPlace({ demo_delay_ms: 0 });
const program = await startProgram(place);
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Sent = { session_id: string; run_id: string; status: string };
const send = (body: object, headers = {}) =>
  call<Sent>(program, "POST", "/api/gui/chat/send", body, headers);
const flat = ({ body }: Answer<Sent>) => {
  const { ok: _ok, data: _data, ...rest } = body as typeof body & Sent;
  return rest;
};

test("[C2] chat/send starts a run and is idempotent by message_id or Idempotency-Key", async () => {
  const first = await send({
    session_id: "sess_123",
    conversation: "browser-chat",
    message: "say done",
    instructions: "Be concise.",
    attachments: [],
    model: "hermes-agent",
    message_id: "m-1",
  });
  assert.equal(first.status, 200);
  assert.equal(first.body.data.status, "started");
  assert.equal(first.body.data.session_id, "sess_123");
  assert.deepEqual(flat(first), first.body.data, "the real client reads the fields flat");

  const again = await send({
    session_id: "sess_123",
    conversation: "browser-chat",
    message: "say done",
    instructions: "Be concise.",
    attachments: [],
    model: "hermes-agent",
    message_id: "m-1",
  });
  assert.equal(again.body.data.run_id, first.body.data.run_id);
  const other = await send({ session_id: "sess_123", message: "say other", message_id: "m-1" });
  assert.equal(other.status, 409);
  assert.equal(other.body.error.code, "idempotency_conflict");

  const key = { "idempotency-key": "key-1" };
  const keyed = await send({ session_id: "sess_123", prompt: "say keyed" }, key);
  const repeated = await send({ session_id: "sess_123", prompt: "say keyed" }, key);
  assert.equal(repeated.body.data.run_id, keyed.body.data.run_id);
  const { events } = await followRun(() => program, keyed.body.data.run_id);
  assert.deepEqual(answerOf(events), ["keyed"]);
});

test("[C4] chat/stop stops a run, says so, and says when there is nothing to stop", async () => {
  const { body } = await send({ message: "pace 5\ncount 2000" });
  const stop = () =>
    call<Record<string, unknown>>(program, "POST", "/api/gui/chat/stop", {
      run_id: body.data.run_id,
    });
  const stopped = await stop();
  assert.deepEqual(stopped.body.data, {
    supported: true,
    action: "stop",
    run_id: body.data.run_id,
    session_id: body.data.session_id,
    status: "stopping",
    stop_requested: true,
  });
  await followRun(() => program, body.data.run_id);
  assert.equal((await runInfo(program, body.data.run_id)).status, "cancelled");
  const late = await stop();
  assert.equal(late.status, 200);
  assert.equal(late.body.data["stop_requested"], false);
  const missing = await call(program, "POST", "/api/gui/chat/stop", { run_id: "run_none" });
  assert.equal(missing.status, 404);
  assert.equal(missing.body.error.code, "run_not_found");
});

test("[H1] health and meta answer in the seed's envelope", async () => {
  const health = await call(program, "GET", "/api/gui/health");
  assert.deepEqual(health.body.data, { status: "ok", product: "hermes-web-console" });
  const { body } = await call(program, "GET", "/api/gui/meta");
  assert.equal(body.ok, true);
  assert.equal(body.data["api_base"], "/api/gui");
  assert.equal(body.data["stream_base"], "/api/gui/stream");
  assert.equal(body.data["v1_base"], "/v1");
  assert.equal(body.data["schema_version"], 1);
  assert.equal(typeof body.data["version"], "string");
  assert.equal(typeof body.data["features"], "object");
});
