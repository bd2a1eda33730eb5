// Trying a model out, against a server that sends exactly what each test wants.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  finish,
  hang,
  startModelServer,
  textChunk,
  type Reply,
} from "../../../../test/support/models/model-server.ts";
import { createDemo } from "../../../features/demo/model/demo.ts";
import type { ModelSettings } from "./resolve-model.ts";
import { tryModel } from "./try-model.ts";

const KEY = "sk-very-secret-0123456789";
const never = new AbortController().signal;

function settingsOf(baseUrl: string, more: Partial<ModelSettings> = {}): ModelSettings {
  const keys = { modelKey: KEY, openAiKey: undefined };
  return { baseUrl, ...keys, idleTimeoutMs: 30_000, demo: createDemo, demoDelayMs: 25, ...more };
}

async function tried(reply: Reply, timeoutMs?: number) {
  await using server = await startModelServer([reply]);
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return await tryModel(settingsOf(server.baseUrl), "some/model", { signal: never, ...limit });
}

test("[UX] a model that answers is told by its first words and its time", async () => {
  await using server = await startModelServer([
    [textChunk("Hello "), textChunk("there."), finish("stop")],
  ]);
  const { duration_ms, ...rest } = await tryModel(settingsOf(server.baseUrl), "some/model", {
    signal: never,
  });
  const said = { model: "some/model", status: "answered", text: "Hello there.", error: null };
  assert.deepEqual(rest, said);
  assert.ok(duration_ms >= 0 && duration_ms < 20_000);
  const { body, headers } = await server.request(0);
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  assert.equal(body["tools"], undefined);
});

test("[UX] a refused key is told as the provider says it, without the key", async () => {
  const refused = { error: { message: `Incorrect API key provided: ${KEY}`, type: "invalid" } };
  const { status, error, text } = await tried(answer(401, refused));
  assert.equal(status, "failed");
  assert.equal(text, "");
  assert.equal(error?.code, "auth");
  assert.match(error?.message ?? "", /401/);
  assert.ok(!JSON.stringify(error).includes(KEY));
});

test("[S] a server that says the key back is not quoted", async () => {
  const { text } = await tried([textChunk(`You sent ${KEY}.`), finish("stop")]);
  assert.equal(text, "You sent [key].");
});

test("[UX] silence ends after the limit", async () => {
  const { status, error } = await tried([hang], 50);
  assert.equal(status, "failed");
  assert.equal(error?.code, "timeout");
  assert.match(error?.message ?? "", /^No answer within/);
});

test("[UX] a server that is not there, and a name nobody serves, are told apart", async () => {
  const gone = await startModelServer([]);
  await gone[Symbol.asyncDispose]();
  const away = await tryModel(settingsOf(gone.baseUrl), "some/model", { signal: never });
  assert.equal(away.error?.code, "network");
  const nobody = { ...settingsOf(""), baseUrl: undefined };
  const unknown = await tryModel(nobody, "some/model", { signal: never });
  assert.equal(unknown.error?.code, "unknown_model");
  const keyless = await tryModel(nobody, "openai/model", { signal: never });
  assert.match(keyless.error?.message ?? "", /OPENAI_API_KEY/);
});

test("[X] being told to stop hangs up and is no answer", { timeout: 10_000 }, async () => {
  await using server = await startModelServer([[textChunk("He"), hang]]);
  const stop = new AbortController();
  const asked = tryModel(settingsOf(server.baseUrl), "some/model", { signal: stop.signal });
  const { aborted } = await server.request(0);
  stop.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  await aborted;
});

test("[B] a model that talks on is cut short, and its connection is closed", async () => {
  await using server = await startModelServer([[textChunk("word ".repeat(100)), hang]]);
  const asked = await tryModel(settingsOf(server.baseUrl), "some/model", { signal: never });
  assert.equal(asked.text.length, 200);
  assert.ok(asked.text.endsWith("…"));
  await (
    await server.request(0)
  ).aborted;
});

test("[UX] the demo model can be tried too, and says that it is one", async () => {
  const nobody = { ...settingsOf(""), baseUrl: undefined };
  const { status, text } = await tryModel(nobody, "demo/demo", { signal: never });
  assert.equal(status, "answered");
  assert.match(text, /demo model answers/);
});
