import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import {
  deltaChunk,
  finish,
  hang,
  raw,
  reasoningChunk,
  startModelServer,
  textChunk,
  toolCallChunk,
  waitFor,
  type ModelServer,
} from "../../../../../test/support/models/model-server.ts";
import type { ModelPart, ModelRequest } from "../model.ts";
import { createOpenAiCompatible } from "./compatible.ts";

const request: ModelRequest = { messages: [{ role: "user", text: "Hi" }], tools: [], runId: "r1" };
const never = new AbortController().signal;

function modelOf(server: ModelServer, idleTimeoutMs = 30_000) {
  const { baseUrl } = server;
  return createOpenAiCompatible({
    provider: "local",
    id: "m1",
    baseUrl,
    apiKey: "k",
    idleTimeoutMs,
  });
}

async function partsOf(server: ModelServer, asked = request): Promise<ModelPart[]> {
  return Array.fromAsync(modelOf(server).stream(asked, never));
}

test("[B3] text, reasoning, usage and finish arrive in order, reasoning blocks told apart", async () => {
  await using server = await startModelServer([
    [
      reasoningChunk("Let me "),
      reasoningChunk("see."),
      textChunk("Hel"),
      textChunk("lo"),
      reasoningChunk("Again."),
      finish("stop", {
        prompt_tokens: 7,
        completion_tokens: 5,
        completion_tokens_details: { reasoning_tokens: 3 },
      }),
    ],
  ]);

  assert.deepEqual(await partsOf(server), [
    { type: "reasoning", id: "r1", text: "Let me " },
    { type: "reasoning", id: "r1", text: "see." },
    { type: "reasoning_end", id: "r1" },
    { type: "text", text: "Hel" },
    { type: "text", text: "lo" },
    { type: "reasoning", id: "r2", text: "Again." },
    { type: "reasoning_end", id: "r2" },
    { type: "usage", inputTokens: 7, outputTokens: 5, reasoningTokens: 3, cachedTokens: null },
    { type: "finish", reason: "stop" },
  ]);
});

test("[B3] the request carries the conversation, the tools and the key, and asks for usage", async () => {
  await using server = await startModelServer([[finish("stop")]]);
  const tools = [{ name: "read", description: "Reads", inputSchema: { type: "object" } }];
  const call = { callId: "c1", name: "read", argumentsText: '{"path":"a"}' };

  await partsOf(server, {
    runId: "r1",
    tools,
    messages: [
      { role: "system", text: "Be brief" },
      { role: "user", text: "Hi" },
      { role: "assistant", text: "", toolCalls: [call] },
      { role: "tool", callId: "c1", name: "read", text: "no such file", isError: true },
    ],
  });

  const { path, headers, body } = await server.request(0);
  assert.equal(path, "/v1/chat/completions");
  assert.equal(headers.authorization, "Bearer k");
  assert.deepEqual(body["stream_options"], { include_usage: true });
  assert.deepEqual(body["tools"], [
    {
      type: "function",
      function: { name: "read", description: "Reads", parameters: { type: "object" } },
    },
  ]);
  assert.deepEqual(body["messages"], [
    { role: "system", content: "Be brief" },
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "no such file" },
  ]);
});

test("[B3] arguments a model once broke are sent back as a valid object", async () => {
  await using server = await startModelServer([[finish("stop")]]);
  const toolCalls = ["", "{oops", "[1]", "\ud800"].map((argumentsText, at) => {
    return { callId: `c${at}`, name: "read", argumentsText };
  });

  await partsOf(server, { ...request, messages: [{ role: "assistant", text: "x", toolCalls }] });

  const { body } = await server.request(0);
  const [message] = body["messages"] as [{ tool_calls: { function: { arguments: string } }[] }];
  assert.deepEqual(
    message.tool_calls.map((sent) => JSON.parse(sent.function.arguments) as unknown),
    [
      {},
      { invalid_arguments: "{oops" },
      { invalid_arguments: "[1]" },
      { invalid_arguments: "\ufffd" },
    ],
  );
});

test("[B3] invalid UTF-8 and lone surrogates become replacement characters, split pairs are joined", async () => {
  const head = Buffer.from('data: {"choices":[{"delta":{"content":"a');
  const tail = Buffer.from('b"}}]}\n\n');
  await using server = await startModelServer([
    [
      raw(Buffer.concat([head, Buffer.from([0xff, 0xc3]), tail])),
      textChunk("\ud83d"),
      textChunk("\ude00!"),
      textChunk("x\ud800"),
      toolCallChunk(0, "c\udfff", "read", '{"p":"\udc00"}'),
      finish("tool_calls"),
    ],
  ]);

  const parts = await partsOf(server);

  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  assert.equal(text, "a\ufffd\ufffdb😀!x\ufffd");
  assert.ok(JSON.stringify(parts).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(parts)));
});

test("[B3] a refusal is text and ends as content_filter; unknown reasons are other", async () => {
  await using server = await startModelServer([
    [deltaChunk({ refusal: "I will not." }), finish("stop")],
    [textChunk("x"), finish("eos_of_some_server")],
    [textChunk("x"), finish("length")],
  ]);

  assert.deepEqual(await partsOf(server), [
    { type: "text", text: "I will not." },
    { type: "finish", reason: "content_filter" },
  ]);
  assert.deepEqual((await partsOf(server)).at(-1), { type: "finish", reason: "other" });
  assert.deepEqual((await partsOf(server)).at(-1), { type: "finish", reason: "length" });
});

test("[X7] an abort throws the caller's reason at once and closes the socket", async () => {
  await using server = await startModelServer([[textChunk("Hel"), hang]]);
  const stop = new AbortController();
  const reason = new Error("cancelled by a person");
  const seen: ModelPart[] = [];

  const reading = (async () => {
    for await (const part of modelOf(server).stream(request, stop.signal)) {
      seen.push(part);
      stop.abort(reason);
    }
  })();

  await assert.rejects(reading, reason);
  assert.deepEqual(seen, [{ type: "text", text: "Hel" }]);
  await (
    await server.request(0)
  ).aborted;
});

test("[X7] an abort before the first byte closes the socket; one before the call sends nothing", async () => {
  await using server = await startModelServer([[hang]]);
  const stop = new AbortController();
  const reading = Array.fromAsync(modelOf(server).stream(request, stop.signal));
  const arrived = await server.request(0);

  stop.abort("stop");

  await assert.rejects(reading, (error) => error === "stop");
  await arrived.aborted;
  const late = Array.fromAsync(modelOf(server).stream(request, stop.signal));
  await assert.rejects(late, (error) => error === "stop");
  assert.equal(server.requests.length, 1);
});

test("[X7] a consumer that stops reading closes the socket", async () => {
  await using server = await startModelServer([[textChunk("Hel"), hang]]);

  for await (const part of modelOf(server).stream(request, never)) {
    assert.equal(part.type, "text");
    break;
  }

  await (
    await server.request(0)
  ).aborted;
});

test("[B4] a part is passed on while the server is still thinking about the next", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer([
    [textChunk("first"), waitFor(gate.promise), textChunk("second"), finish("stop")],
  ]);
  const texts: string[] = [];

  for await (const part of modelOf(server).stream(request, never)) {
    if (part.type === "text") texts.push(part.text);
    gate.resolve();
  }

  assert.deepEqual(texts, ["first", "second"]);
});

test("[B4] a consumer that stalls stalls the response body", async () => {
  let pulled = 0;
  const chunk = Buffer.from('data: {"choices":[{"delta":{"content":"word "}}]}\n\n');
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(chunk);
    },
  });
  const headers = { "content-type": "text/event-stream" };
  const model = createOpenAiCompatible({
    provider: "endless",
    id: "m1",
    baseUrl: "http://127.0.0.1:1/v1",
    idleTimeoutMs: 30_000,
    fetch: async () => new Response(body, { headers }),
  });
  const parts = model.stream(request, never)[Symbol.asyncIterator]();

  await parts.next();
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();

  assert.ok(pulled < 50, `${pulled} chunks were read ahead`);
});
