import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  finish,
  startModelServer,
  textChunk,
} from "../../../../test/support/models/model-server.ts";
import { discover } from "./discover.ts";
import { listModels } from "./list-models.ts";
import type { ModelRequest } from "./model.ts";
import { resolveModel, type ModelSettings } from "./resolve-model.ts";

const settings: ModelSettings = {
  baseUrl: undefined,
  modelKey: "never-for-local-servers",
  openAiKey: undefined,
  idleTimeoutMs: 30_000,
  demoDelayMs: 0,
};
const PATIENT = { timeoutMs: 10_000 }; // on a busy machine a real answer may be late
const NOBODY = "http://127.0.0.1:9"; // the discard port: nothing listens

type Answer = (path: string, response: ServerResponse) => void;

async function startServer(answer: Answer) {
  const server = createServer((request, response) => {
    request.resume();
    answer(request.url ?? "", response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const json =
  (body: unknown): Answer =>
  (_, response) =>
    void response.end(JSON.stringify(body));
const ollama: Answer = (path, response) => {
  const body =
    path === "/api/tags"
      ? { models: [{ name: "llama3:8b", size: 1 }, { name: "qwen3" }] }
      : { model_info: { "general.architecture": "llama", "llama.context_length": 8192 } };
  response.end(JSON.stringify(body));
};

test("[design 13] servers on this machine are found with their models, at their address or another", async () => {
  await using first = await startServer(ollama);
  await using second = await startServer(json({ object: "list", data: [{ id: "qwen" }] }));

  const found = await discover({ ollama: `${first.url}/v1/`, lmstudio: second.url }, PATIENT);

  assert.deepEqual(found, [
    { provider: "ollama", baseUrl: first.url, models: ["llama3:8b", "qwen3"] },
    { provider: "lmstudio", baseUrl: second.url, models: ["qwen"] },
  ]);
});

test("[design 13] nobody there, silence, nonsense, refusals, redirects and floods find nothing, soon", async () => {
  await using other = await startServer(ollama);
  const answers: Answer[] = [
    () => undefined, // never answers
    (_, response) => void response.end("<html>"),
    json([]),
    json({ models: [{ name: 5 }] }),
    (_, response) => void response.writeHead(500).end("{}"),
    (_, response) => void response.writeHead(302, { location: `${other.url}/api/tags` }).end(),
    (_, response) => void response.write("["),
  ];
  for (const answer of answers) {
    await using server = await startServer(answer);
    assert.deepEqual(await discover({ ollama: server.url, lmstudio: NOBODY }), []);
  }
  assert.deepEqual(await discover({ ollama: "no url", lmstudio: NOBODY }), []);
  const flood = `${" ".repeat(5 * 1024 * 1024)}{"models":[{"name":"x"}]}`;
  await using server = await startServer((_, response) => void response.end(flood));
  assert.deepEqual(await discover({ ollama: server.url, lmstudio: NOBODY }, PATIENT), []);
});

test("[issue 3] the list has what can be chosen now, and says why and what is unknown", async () => {
  await using server = await startServer(ollama);
  const baseUrls = { ollama: server.url, lmstudio: NOBODY };

  const bare = await listModels({ ...settings, baseUrls }, PATIENT);
  assert.deepEqual(
    bare.map(({ provider, id }) => `${provider}/${id}`),
    ["demo/demo", "ollama/llama3:8b", "ollama/qwen3"],
  );
  assert.deepEqual(bare[1], {
    provider: "ollama",
    id: "llama3:8b",
    contextWindow: 8192,
    priced: true,
    found: `running at ${server.url}`,
  });

  const configured = "custom/mine/with-slash";
  const more = await listModels(
    { ...settings, baseUrls, anthropicKey: "k" },
    { configured, ...PATIENT },
  );
  const named = (name: string) => more.find(({ provider, id }) => `${provider}/${id}` === name);
  assert.deepEqual(named(configured), {
    provider: "custom",
    id: "mine/with-slash",
    contextWindow: null,
    priced: false,
    found: "set as the model",
  });
  assert.equal(named("anthropic/claude-opus-5")?.found, "ANTHROPIC_API_KEY is set");
  assert.equal(named("openai/gpt-5"), undefined);
});

test("[issue 3] a found model runs on its server's OpenAI-compatible side; its window is known afterwards", async () => {
  const show = { model_info: { "llama.context_length": 8192 } };
  await using server = await startModelServer(({ path }) =>
    path === "/api/show"
      ? [
          { step: "head", status: 200, headers: {} },
          { step: "bytes", bytes: JSON.stringify(show) },
        ]
      : [textChunk("Hi"), finish("stop")],
  );
  const baseUrls = { ollama: server.baseUrl };
  const model = resolveModel({ ...settings, baseUrls })("ollama/llama3:8b");
  assert.equal(model.contextWindow, null);
  const request: ModelRequest = { messages: [{ role: "user", text: "x" }], tools: [], runId: "r" };

  await Array.fromAsync(model.stream(request, new AbortController().signal));

  const chat = server.requests.find(({ path }) => path === "/v1/chat/completions");
  assert.equal(chat?.body["model"], "llama3:8b");
  assert.equal(chat?.headers.authorization, undefined);
  assert.equal(model.contextWindow, 8192);
});
