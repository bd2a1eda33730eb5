// The button that tests a model, over HTTP: it really asks, one at a time, and gives nothing away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelTestView } from "../../../src/kernel/api/records/records.ts";
import { call } from "../../support/http.ts";
import {
  answer,
  finish,
  hang,
  startModelServer,
  textChunk,
  type ReplyHandler,
} from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";

const KEY = "sk-very-secret-0123456789";
const PATH = "/api/models/test";
const REPLIES: Record<string, ReturnType<ReplyHandler>> = {
  good: [textChunk("Ahoy."), finish("stop")],
  denied: answer(401, { error: { message: `Bad key ${KEY}` } }),
  slow: [hang],
};

async function place(idleMs = 1_000) {
  const model = await startModelServer(
    ({ body }) => REPLIES[String(body["model"])] ?? answer(404, { error: { message: "no model" } }),
  );
  const home = newTestHome({ base_url: model.baseUrl, model_idle_timeout_ms: idleMs });
  const program = await openPair(home, { env: { QUARTERDECK_API_KEY: KEY } });
  return {
    model,
    program,
    ask: (id: string) => call<ModelTestView>(program, "POST", PATH, { provider: "some", id }),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test("[UX] [S] a test tells what came of it and never the key", async () => {
  await using here = await place();
  const good = await here.ask("good");
  assert.equal(good.status, 200);
  assert.deepEqual(ModelTestView.strict().parse(good.body.data), good.body.data);
  assert.equal(good.body.data.status, "answered");
  assert.equal(good.body.data.text, "Ahoy.");
  assert.equal((await here.model.request(0)).headers.authorization, `Bearer ${KEY}`);

  const denied = await here.ask("denied");
  assert.equal(denied.body.data.error?.code, "auth");
  const slow = await here.ask("slow");
  assert.equal(slow.body.data.error?.code, "timeout");
  const missing = await here.ask("missing");
  assert.equal(missing.body.data.error?.code, "unknown_model");
  assert.ok(!JSON.stringify([denied.body, slow.body, missing.body]).includes(KEY));
  const demo = await call<ModelTestView>(here.program, "POST", PATH, {
    provider: "demo",
    id: "demo",
  });
  assert.equal(demo.body.data.status, "answered");

  const nothing = await call(here.program, "POST", PATH, { provider: "some" });
  assert.equal(nothing.body.error.code, "invalid_request");
  const stranger = await call({ ...here.program, token: "wrong" }, "POST", PATH, {});
  assert.equal(stranger.status, 401);
});

test(
  "[B] one test at a time; leaving ends it and makes room for the next",
  { timeout: 40_000 },
  async () => {
    await using here = await place(120_000);
    const { url, token } = here.program;
    const leave = new AbortController();
    const first = fetch(`${url}${PATH}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ provider: "some", id: "slow" }),
      signal: leave.signal,
    }).catch(() => "left");
    const { aborted } = await here.model.request(0);
    const second = await here.ask("good");
    assert.equal(second.status, 429);
    assert.equal(second.body.error.code, "rate_limited");
    leave.abort();
    assert.equal(await first, "left");
    const left = performance.now();
    await aborted; // the model's server is not kept waiting for nobody
    assert.ok(performance.now() - left < 15_000, "and not because the test gave up after its 20 s");
    assert.equal((await here.ask("good")).status, 200, "at once");
  },
);
