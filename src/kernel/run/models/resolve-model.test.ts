import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  finish,
  startModelServer,
  type ModelServer,
} from "../../../../test/support/models/model-server.ts";
import { anthropic, google, openai } from "../../../../test/support/models/provider-streams.ts";
import { ModelError, type ModelRequest } from "./model.ts";
import { resolveModel, type ModelSettings } from "./resolve-model.ts";

const request: ModelRequest = { messages: [{ role: "user", text: "Hi" }], tools: [], runId: "r1" };
const never = new AbortController().signal;
const nothing: ModelSettings = {
  baseUrl: undefined,
  modelKey: undefined,
  openAiKey: undefined,
  idleTimeoutMs: 30_000,
  demoDelayMs: 0,
};
const keys = {
  modelKey: "key-of-custom",
  openAiKey: "key-of-openai",
  anthropicKey: "key-of-anthropic",
  googleKey: "key-of-google",
};

const REPLIES = {
  "openai/gpt-5.2": [...openai.start, openai.end({ input: 1, output: 1 })],
  "anthropic/claude-opus-5": [anthropic.start({ input: 1 }), ...anthropic.end("end_turn", 1)],
  "google/gemini-2.5-pro": [google.end("STOP", { input: 1, output: 1 })],
  "ollama/llama3:8b": [finish("stop")],
  "lmstudio/qwen": [finish("stop")],
  "custom/m1": [finish("stop")],
};
type Name = keyof typeof REPLIES;

/** The keys found anywhere in the first request that one call to `name` makes. */
async function keysSent(server: ModelServer, name: Name, settings: ModelSettings) {
  const before = server.requests.length;
  await Array.fromAsync(resolveModel(settings)(name).stream(request, never));
  const { headers, path, body } = await server.request(before);
  const sent = JSON.stringify({ headers, path, body });
  return Object.values(keys).filter((key) => sent.includes(key));
}

test("[S] each key goes to its own provider's address and nowhere else", async () => {
  const own: Record<Name, string[]> = {
    "openai/gpt-5.2": [keys.openAiKey],
    "anthropic/claude-opus-5": [keys.anthropicKey],
    "google/gemini-2.5-pro": [keys.googleKey],
    "ollama/llama3:8b": [],
    "lmstudio/qwen": [],
    "custom/m1": [keys.modelKey],
  };
  for (const [name, expected] of Object.entries(own) as [Name, string[]][]) {
    await using server = await startModelServer(() => REPLIES[name]);
    await using elsewhere = await startModelServer([]);
    const [provider = ""] = name.split("/");
    const addresses = { openai: elsewhere.baseUrl, anthropic: elsewhere.baseUrl };
    const settings: ModelSettings = {
      ...nothing,
      ...keys,
      baseUrl: name === "custom/m1" ? server.baseUrl : elsewhere.baseUrl,
      baseUrls: { ...addresses, google: elsewhere.baseUrl, [provider]: server.baseUrl },
    };
    assert.deepEqual(await keysSent(server, name, settings), expected, name);
    assert.equal(elsewhere.requests.length, 0, name);
  }
});

test("[S] without its own key a provider's name is served by the base URL, with that URL's key", async () => {
  const names = ["openai/gpt-5.2", "anthropic/claude-opus-5", "google/gemini-2.5-pro"] as const;
  for (const name of names) {
    await using server = await startModelServer([[finish("stop")]]);
    const { modelKey } = keys;
    const settings = { ...nothing, modelKey, baseUrl: server.baseUrl };
    assert.deepEqual(await keysSent(server, name, settings), [modelKey]);
    assert.equal((await server.request(0)).path, "/v1/chat/completions");
  }
  // An OpenAI key from the environment never reaches somebody else's OpenAI-compatible endpoint.
  await using server = await startModelServer([[finish("stop")]]);
  const { openAiKey } = keys;
  const settings = { ...nothing, openAiKey, baseUrl: server.baseUrl };
  assert.deepEqual(await keysSent(server, "openai/gpt-5.2", settings), []);
});

test("[S] a redirect is not followed: a key never leaves the origin it was meant for", async () => {
  await using elsewhere = await startModelServer([]);
  const server = createServer((_, response) => {
    response.writeHead(307, { location: `${elsewhere.baseUrl}/messages` }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    for (const name of Object.keys(REPLIES)) {
      const [provider = ""] = name.split("/");
      const baseUrls = { [provider]: at };
      const model = resolveModel({ ...nothing, ...keys, baseUrl: at, baseUrls })(name);
      await assert.rejects(Array.fromAsync(model.stream(request, never)), {
        name: "ModelError",
        code: "bad_request",
      });
    }
    assert.equal(elsewhere.requests.length, 0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("[issue 3] a missing key and an unknown name say what to do", () => {
  const resolve = resolveModel(nothing);
  const cases: [string, string, RegExp][] = [
    ["anthropic/claude-opus-5", "auth", /^anthropic\/claude-opus-5 needs ANTHROPIC_API_KEY/],
    ["openai/gpt-5.2", "auth", /^openai\/gpt-5\.2 needs OPENAI_API_KEY/],
    ["google/gemini-2.5-pro", "auth", /needs GOOGLE_GENERATIVE_AI_API_KEY/],
    ["nobody/model", "unknown_model", /No provider serves “nobody\/model”/],
    ["bare", "unknown_model", /No provider serves/],
    ["__proto__/x", "unknown_model", /No provider serves/],
  ];
  for (const [name, code, message] of cases) {
    assert.throws(
      () => resolve(name),
      (error) =>
        error instanceof ModelError &&
        error.code === code &&
        !error.retryable &&
        message.test(error.message),
      name,
    );
  }
});

test("[issue 3] a model carries its window and price, or null for what nobody knows", () => {
  const resolve = resolveModel({ ...nothing, ...keys, baseUrl: "http://127.0.0.1:1/v1" });
  const known = resolve("anthropic/claude-opus-4-5-20251101");
  assert.equal(known.contextWindow, 200_000);
  assert.equal(known.price?.cacheWrite, 6.25);
  const unknown = resolve("anthropic/claude-of-tomorrow");
  assert.deepEqual([unknown.contextWindow, unknown.price], [null, null]);
  const local = resolve("ollama/llama3");
  assert.deepEqual([local.contextWindow, local.price], [null, { input: 0, output: 0 }]);
});
