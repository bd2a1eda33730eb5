import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import {
  hang,
  startModelServer,
  waitFor,
  type ModelServer,
  type Reply,
  type ReplyStep,
} from "../../../../test/support/models/model-server.ts";
import { anthropic, google, openai } from "../../../../test/support/models/provider-streams.ts";
import { createAnthropicModel } from "./anthropic.ts";
import { createGoogleModel } from "./google.ts";
import type { ModelMessage, ModelPart, ModelRequest } from "./model.ts";
import { createOpenAi } from "./openai.ts";
import { resolveModel, type KeyedProvider } from "./resolve-model.ts";

const never = new AbortController().signal;
const tools = [
  {
    name: "read",
    description: "Reads",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
];
const request: ModelRequest = {
  messages: [
    { role: "system", text: "Be brief" },
    { role: "user", text: "Hi" },
  ],
  tools,
  runId: "r1",
};

function modelOf(server: ModelServer, name: string) {
  const [provider = ""] = name.split("/");
  return resolveModel({
    baseUrl: undefined,
    modelKey: undefined,
    openAiKey: "k-openai",
    anthropicKey: "k-anthropic",
    googleKey: "k-google",
    baseUrls: { [provider]: server.baseUrl },
    idleTimeoutMs: 30_000,
    demoDelayMs: 0,
  })(name);
}

const NAMES: Record<KeyedProvider, string> = {
  openai: "openai/gpt-5.2",
  anthropic: "anthropic/claude-opus-5-5",
  google: "google/gemini-3-pro-preview",
};
const providers = Object.keys(NAMES) as KeyedProvider[];

/** Reasoning, text around it, two calls at once, usage with cached tokens: as each provider streams it. */
const FULL: Record<KeyedProvider, Reply> = {
  anthropic: [
    anthropic.start({ input: 5, cached: 7, written: 11 }),
    anthropic.ping,
    ...anthropic.thinking(0, "Let me see.", "SIG-1"),
    ...anthropic.text(1, "Hel", "lo"),
    ...anthropic.thinking(2, "", "SIG-2"),
    anthropic.block(3, { type: "redacted_thinking", data: "HIDDEN" }),
    anthropic.stop(3),
    ...anthropic.call(4, "toolu_1", "read", '{"pa', 'th":"a"}'),
    ...anthropic.call(5, "toolu_2", "read"),
    ...anthropic.end("tool_use", 42),
  ],
  openai: [
    ...openai.start,
    ...openai.reasoning(0, "ENC-1", "Let me see.", "Again."),
    ...openai.reasoning(1, "ENC-2"),
    ...openai.text(2, "Hel", "lo"),
    ...openai.call(3, "call_1", "read", '{"path":"a"}'),
    ...openai.call(4, "call_2", "read", "{}"),
    openai.end({ input: 23, output: 42, cached: 7, reasoning: 3 }),
  ],
  google: [
    google.parts(google.thought("Let me ")),
    google.parts(google.thought("see.")),
    google.parts({ text: "Hello" }),
    google.parts(google.call("read", { path: "a" }, "SIG-1"), google.call("read", {})),
    google.end("STOP", { input: 23, output: 42, cached: 7, reasoning: 3 }),
  ],
};

/** What the runner would say of these parts in the next request. */
function said(parts: readonly ModelPart[], model: string): ModelMessage[] {
  const words = (id?: string) =>
    parts
      .filter((part) => (id ? part.type === "reasoning" && part.id === id : part.type === "text"))
      .map((part) => ("text" in part ? part.text : ""))
      .join("");
  const begun = new Set(parts.flatMap((part) => (part.type === "reasoning" ? [part.id] : [])));
  const reasoning = parts.flatMap((part) =>
    // The runner knows of a block only by its first part, were it empty.
    part.type === "reasoning_end" && part.providerData !== undefined && begun.has(part.id)
      ? [{ text: words(part.id), providerData: part.providerData }]
      : [],
  );
  const calls = parts.filter((part) => part.type === "tool_call");
  const toolCalls = calls.map(({ name, argumentsText, providerData }, at) => ({
    callId: `t1.1.c${at}`,
    name,
    argumentsText,
    ...(providerData !== undefined && { providerData }),
  }));
  const results = toolCalls.map(({ callId, name }, at): ModelMessage => {
    return { role: "tool", callId, name, text: `result ${at}`, isError: at === 1 };
  });
  return [{ role: "assistant", text: words(), model, reasoning, toolCalls }, ...results];
}

async function nextRequest(provider: KeyedProvider, asWhom = NAMES[provider]) {
  await using server = await startModelServer([FULL[provider], FULL[provider]]);
  const model = modelOf(server, NAMES[provider]);
  const parts = await Array.fromAsync(model.stream(request, never));
  const messages = [...request.messages, ...said(JSON.parse(JSON.stringify(parts)), asWhom)];
  await Array.fromAsync(model.stream({ ...request, messages }, never));
  return await server.request(1);
}

for (const provider of providers) {
  test(`[B3] ${provider}: reasoning, text, parallel calls and usage with cached tokens`, async () => {
    await using server = await startModelServer([FULL[provider]]);

    const parts = await Array.fromAsync(modelOf(server, NAMES[provider]).stream(request, never));

    const of = (type: ModelPart["type"]) => parts.filter((part) => part.type === type);
    const joined = (type: "text" | "reasoning") =>
      parts.map((part) => (part.type === type ? part.text : "")).join("");
    assert.equal(joined("text"), "Hello");
    assert.match(joined("reasoning"), /^Let me see\.(Again\.)?$/);
    assert.deepEqual(
      of("tool_call").map((part) => part.type === "tool_call" && [part.name, part.argumentsText]),
      [
        ["read", '{"path":"a"}'],
        ["read", "{}"],
      ],
    );
    assert.deepEqual(of("usage"), [
      {
        type: "usage",
        inputTokens: 23,
        outputTokens: 42,
        reasoningTokens: provider === "anthropic" ? null : 3,
        cachedTokens: 7,
        ...(provider === "anthropic" && { cacheWriteTokens: 11 }),
      },
    ]);
    assert.deepEqual(parts.at(-1), { type: "finish", reason: "tool_calls" });
    assert.equal(of("finish").length, 1);
  });

  test(`[X7] ${provider}: an abort throws its reason and closes the socket, mid-answer and before`, async () => {
    const [first] = [...(FULL[provider] as Iterable<never>)];
    for (const reply of [[hang], [first!, hang]]) {
      await using server = await startModelServer([reply]);
      const stop = new AbortController();
      const reading = Array.fromAsync(
        modelOf(server, NAMES[provider]).stream(request, stop.signal),
      );
      const arrived = await server.request(0);
      stop.abort("stop");
      await assert.rejects(reading, (error) => error === "stop");
      await arrived.aborted;
    }
  });

  test(`[B4] ${provider}: words are passed on while the server goes on thinking`, async () => {
    const gate = Promise.withResolvers<void>();
    const words: Record<KeyedProvider, Reply> = {
      anthropic: [
        anthropic.start({ input: 1 }),
        ...anthropic.text(0, "first"),
        waitFor(gate.promise),
        ...anthropic.text(1, "second"),
        ...anthropic.end("end_turn", 2),
      ],
      openai: [
        ...openai.start,
        ...openai.text(0, "first"),
        waitFor(gate.promise),
        ...openai.text(1, "second"),
        openai.end({ input: 1, output: 2 }),
      ],
      google: [
        google.parts({ text: "first" }),
        waitFor(gate.promise),
        google.parts({ text: "second" }),
        google.end("STOP", { input: 1, output: 2 }),
      ],
    };
    await using server = await startModelServer([words[provider]]);
    const seen: string[] = [];
    for await (const part of modelOf(server, NAMES[provider]).stream(request, never)) {
      if (part.type === "text") seen.push(part.text);
      gate.resolve();
    }
    assert.deepEqual(seen, ["first", "second"]);
  });
}

test("[B4] a consumer that stalls stalls the response body, whoever the provider is", async () => {
  const stepsOf = (reply: Reply) => [...(reply as Iterable<ReplyStep>)];
  const bytesOf = (step: ReplyStep) => Buffer.from(step.step === "bytes" ? step.bytes : "");
  const word: Record<KeyedProvider, ReplyStep[]> = {
    anthropic: [anthropic.start({ input: 1 }), ...stepsOf(anthropic.text(0, "word ")).slice(0, 2)],
    openai: [...openai.start, ...stepsOf(openai.text(0, "word ")).slice(0, 2)],
    google: [google.parts({ text: "word " })],
  };
  const factories = {
    openai: createOpenAi,
    anthropic: createAnthropicModel,
    google: createGoogleModel,
  };
  for (const provider of providers) {
    const chunks = word[provider].map(bytesOf);
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(chunks[Math.min(pulled, chunks.length - 1)]!);
        pulled += 1;
      },
    });
    const model = factories[provider]({
      id: NAMES[provider].split("/")[1]!,
      baseUrl: "http://127.0.0.1:1/v1",
      apiKey: "k",
      idleTimeoutMs: 30_000,
      fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
    });
    const parts = model.stream(request, never)[Symbol.asyncIterator]();

    await parts.next();
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();

    assert.ok(pulled < 100, `${provider}: ${pulled} chunks were read ahead`);
    await parts.return?.();
  }
});

test("[B3] a signature without end is refused, a broken one becomes well-formed", async () => {
  const reply = (signature: string): Reply => [
    anthropic.start({ input: 1 }),
    ...anthropic.thinking(0, "hm", signature),
    ...anthropic.text(1, "x"),
    ...anthropic.end("end_turn", 1),
  ];
  await using server = await startModelServer([reply("s".repeat(300_000)), reply("a\ud800")]);
  const model = modelOf(server, NAMES.anthropic);
  await assert.rejects(Array.fromAsync(model.stream(request, never)), { code: "malformed_output" });
  const parts = await Array.fromAsync(model.stream(request, never));
  assert.match(JSON.stringify(parts), /"signature":"a\ufffd"/);
});

test("[issue 3] anthropic: its signed thinking, hidden thinking and call ids go back as they came, in order", async () => {
  const { path, headers, body } = await nextRequest("anthropic");

  assert.equal(path, "/v1/messages");
  assert.equal(headers["x-api-key"], "k-anthropic");
  const cached = { cache_control: { type: "ephemeral" } };
  assert.deepEqual(body["system"], [{ type: "text", text: "Be brief", ...cached }]);
  assert.deepEqual((body["messages"] as unknown[]).slice(1), [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me see.", signature: "SIG-1" },
        { type: "text", text: "Hello" },
        { type: "thinking", thinking: "", signature: "SIG-2" },
        { type: "redacted_thinking", data: "HIDDEN" },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "toolu_2", name: "read", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "result 0" },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: "result 1",
          is_error: true,
          ...cached,
        },
      ],
    },
  ]);
  assert.deepEqual(body["thinking"], { type: "adaptive", display: "summarized" });
});

test("[issue 3] openai: nothing is stored there; encrypted reasoning goes back with its summaries", async () => {
  const { path, headers, body } = await nextRequest("openai");

  assert.equal(path, "/v1/responses");
  assert.equal(headers.authorization, "Bearer k-openai");
  assert.equal(body["store"], false);
  assert.deepEqual(body["include"], ["reasoning.encrypted_content"]);
  assert.deepEqual(body["reasoning"], { summary: "auto" });
  assert.ok(!("previous_response_id" in body));
  const summary = (text: string) => ({ type: "summary_text", text });
  assert.deepEqual((body["input"] as unknown[]).slice(2), [
    {
      type: "reasoning",
      id: "rs_0",
      encrypted_content: "ENC-1",
      summary: [summary("Let me see."), summary("Again.")],
    },
    { type: "reasoning", id: "rs_1", encrypted_content: "ENC-2", summary: [] },
    { role: "assistant", content: "Hello" },
    { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
    { type: "function_call", call_id: "call_2", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "result 0" },
    { type: "function_call_output", call_id: "call_2", output: '{"error":"result 1"}' },
  ]);
  const [tool] = body["tools"] as { strict: boolean }[];
  assert.equal(tool?.strict, false); // optional arguments stay optional
});

test("[issue 3] openai: a model that does not reason is not asked for reasoning", async () => {
  await using server = await startModelServer([FULL.openai]);
  await Array.fromAsync(modelOf(server, "openai/gpt-4.1").stream(request, never));
  const { body } = await server.request(0);
  assert.ok(!("reasoning" in body) && !("include" in body));
});

test("[issue 3] google: the thought signature goes back with its call, results of parallel calls together", async () => {
  const { path, headers, body } = await nextRequest("google");

  assert.equal(path, "/v1/models/gemini-3-pro-preview:streamGenerateContent?alt=sse");
  assert.equal(headers["x-goog-api-key"], "k-google");
  const [, model, results] = body["contents"] as { role: string; parts: unknown[] }[];
  const parts = model!.parts as { functionCall?: { args: unknown }; thoughtSignature?: string }[];
  assert.deepEqual(parts[0], { text: "Hello" });
  assert.deepEqual(
    parts.slice(1).map((part) => [part.functionCall?.args, part.thoughtSignature]),
    [
      [{ path: "a" }, "SIG-1"],
      [{}, undefined],
    ],
  );
  assert.equal(results?.role, "user");
  assert.equal(results?.parts.length, 2);
  assert.deepEqual(body["generationConfig"], { thinkingConfig: { includeThoughts: true } });
});

test("[issue 3] what another model said goes back without its opaque data, under our own ids", async () => {
  const secrets = /SIG|ENC|HIDDEN|toolu_|call_1|rs_0|Let me see/;
  for (const provider of providers) {
    const { body } = await nextRequest(provider, "someone/else");
    const sent = JSON.stringify(body);
    assert.doesNotMatch(sent, secrets, provider);
    assert.match(sent, /t1-1-c0/);
  }
});

test("[ME7] Gemini is given sound as sound, and the others say beforehand that they take none", async () => {
  await using server = await startModelServer([[google.end("STOP", { input: 1, output: 1 })]]);
  const model = modelOf(server, "google/gemini-2.5-pro");
  assert.deepEqual(model.reads, ["image", "pdf", "audio"]);
  const data = Uint8Array.from([0x52, 0x49, 0x46, 0x46]);
  const file = { name: "a.wav", mediaType: "audio/wav", data };
  const attached = [{ text: "[attached: a.wav]", file }];
  const messages: ModelMessage[] = [{ role: "user", text: "Listen", attached }];
  await Array.fromAsync(model.stream({ messages, tools: [], runId: "r1" }, never));
  const sent = JSON.stringify((await server.request(0)).body);
  assert.ok(sent.includes('{"inlineData":{"mimeType":"audio/wav","data":"UklGRg=="}}'), sent);
  for (const name of ["openai/gpt-5.2", "anthropic/claude-opus-5"]) {
    assert.ok(!modelOf(server, name).reads?.includes("audio"), name);
  }
});
