import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  cut,
  hang,
  raw,
  startModelServer,
  type Reply,
} from "../../../../../test/support/models/model-server.ts";
import { anthropic, google, openai } from "../../../../../test/support/models/provider-streams.ts";
import { ModelError, type ModelErrorCode, type ModelPart, type ModelRequest } from "../model.ts";
import { resolveModel, type KeyedProvider } from "../resolve-model.ts";

const request: ModelRequest = { messages: [{ role: "user", text: "Hi" }], tools: [], runId: "r1" };
const key = "sk-secret/0123456789";
const IDS: Record<KeyedProvider, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-5-5",
  google: "gemini-3-pro-preview",
};

async function failureAt(
  provider: KeyedProvider,
  reply: Reply,
  idleTimeoutMs = 30_000,
): Promise<{ error: ModelError; seen: ModelPart[] }> {
  await using server = await startModelServer([reply]);
  const model = resolveModel({
    baseUrl: undefined,
    modelKey: undefined,
    openAiKey: key,
    anthropicKey: key,
    googleKey: key,
    baseUrls: { [provider]: server.baseUrl },
    idleTimeoutMs,
    demoDelayMs: 0,
  })(`${provider}/${IDS[provider]}`);
  const seen: ModelPart[] = [];
  try {
    for await (const part of model.stream(request, new AbortController().signal)) seen.push(part);
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    assert.ok(error.message.length <= 300 && error.cause === undefined);
    assert.equal(server.requests.length, 1, "no hidden retry");
    if (error.code === "timeout" && idleTimeoutMs < 1_000) await (await server.request(0)).aborted;
    return { error, seen };
  }
  assert.fail(`the call succeeded: ${JSON.stringify(seen)}`);
}

type Case = [reply: Reply, code: ModelErrorCode, retryable: boolean];

async function check(provider: KeyedProvider, cases: readonly Case[]): Promise<void> {
  for (const [index, [reply, code, retryable]] of cases.entries()) {
    const { error } = await failureAt(provider, reply);
    const got = { code: error.code, retryable: error.retryable };
    assert.deepEqual(got, { code, retryable }, `${provider} case ${index}: ${error.message}`);
  }
}

const anthropicBody = (type: string, message = "no") => ({
  type: "error",
  error: { type, message },
});
const googleBody = (code: number, status: string, message = "no", details: unknown[] = []) => ({
  error: { code, status, message, details },
});
const openaiBody = (code: string | null, message = "no") => ({
  error: { message, type: "some_type", param: null, code },
});

test("[B3] anthropic: every refusal and every error in the stream has the right code", async () => {
  const started = [anthropic.start({ input: 1 }), ...anthropic.text(0, "so far")];
  await check("anthropic", [
    [answer(400, anthropicBody("invalid_request_error")), "bad_request", false],
    [
      answer(
        400,
        anthropicBody("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
      ),
      "context_length",
      false,
    ],
    [
      answer(
        400,
        anthropicBody(
          "invalid_request_error",
          "input length and `max_tokens` exceed context limit",
        ),
      ),
      "context_length",
      false,
    ],
    [answer(400, anthropicBody("billing_error")), "auth", false],
    [answer(401, anthropicBody("authentication_error")), "auth", false],
    [answer(403, anthropicBody("permission_error")), "auth", false],
    [answer(404, anthropicBody("not_found_error")), "unknown_model", false],
    [answer(413, anthropicBody("request_too_large")), "context_length", false],
    [answer(429, anthropicBody("rate_limit_error")), "rate_limited", true],
    [answer(500, anthropicBody("api_error")), "overloaded", true],
    [answer(504, anthropicBody("timeout_error")), "timeout", true],
    [answer(529, anthropicBody("overloaded_error")), "overloaded", true],
    [[anthropic.error("overloaded_error", "Overloaded")], "overloaded", true],
    [[...started, anthropic.error("overloaded_error", "Overloaded")], "overloaded", true],
    [[...started, anthropic.error("api_error", "Internal")], "overloaded", true],
    [[...started, anthropic.error("rate_limit_error", "slow")], "rate_limited", true],
    [[...started, anthropic.error("invalid_request_error", "bad")], "bad_request", false],
    [[...started], "incomplete", true],
    [[anthropic.start({ input: 1 })], "incomplete", true],
    [[], "incomplete", true],
    [[...started, cut], "network", true],
    [[raw("data: {broken\n\n")], "malformed_output", true],
    [[...started, raw("event: x\ndata: {broken\n\n")], "malformed_output", true],
    [[...started, ...anthropic.end("tool_use", 1)], "malformed_output", true],
    [
      [
        anthropic.start({ input: 1 }),
        ...anthropic.call(0, "a", "read", "{}"),
        anthropic.block(1, { type: "tool_use", id: "b", name: "read", input: {} }),
        ...anthropic.end("tool_use", 1),
      ],
      "malformed_output",
      true,
    ],
  ]);
});

test("[B3] openai: every refusal and every error in the stream has the right code", async () => {
  const started = [...openai.start, ...openai.text(0, "so far")];
  await check("openai", [
    [answer(400, openaiBody(null)), "bad_request", false],
    [answer(400, openaiBody("context_length_exceeded")), "context_length", false],
    [answer(401, openaiBody("invalid_api_key")), "auth", false],
    [answer(404, openaiBody("model_not_found")), "unknown_model", false],
    [answer(429, openaiBody("rate_limit_exceeded")), "rate_limited", true],
    [answer(429, openaiBody("insufficient_quota")), "auth", false],
    [answer(500, openaiBody("server_error")), "overloaded", true],
    [answer(503, openaiBody(null)), "overloaded", true],
    [[...openai.start, openai.failed("rate_limit_exceeded", "slow")], "rate_limited", true],
    [[...openai.start, openai.failed("insufficient_quota", "pay")], "auth", false],
    [[...started, openai.failed("server_error", "broken")], "overloaded", true],
    [[...started, openai.failed("context_length_exceeded", "long")], "context_length", false],
    [[...started, openai.failed("invalid_prompt", "bad")], "bad_request", false],
    [[...started, openai.error("rate_limit_exceeded", "slow")], "rate_limited", true],
    [[...started, openai.error("server_error", "broken")], "overloaded", true],
    [[openai.error("server_error", "broken")], "overloaded", true],
    [[...started], "incomplete", true],
    [[...openai.start], "incomplete", true],
    [[], "incomplete", true],
    [[...started, cut], "network", true],
    [[...started, raw("data: {broken\n\n")], "malformed_output", true],
  ]);
});

test("[B3] google: every refusal and every error in the stream has the right code", async () => {
  const started = [google.parts({ text: "so far" })];
  const tooLong = "The input token count (9) exceeds the maximum number of tokens allowed (8).";
  await check("google", [
    [answer(400, googleBody(400, "INVALID_ARGUMENT")), "bad_request", false],
    [answer(400, googleBody(400, "INVALID_ARGUMENT", tooLong)), "context_length", false],
    [
      answer(400, googleBody(400, "INVALID_ARGUMENT", "bad", [{ reason: "API_KEY_INVALID" }])),
      "auth",
      false,
    ],
    [answer(403, googleBody(403, "PERMISSION_DENIED")), "auth", false],
    [answer(404, googleBody(404, "NOT_FOUND")), "unknown_model", false],
    [answer(429, googleBody(429, "RESOURCE_EXHAUSTED")), "rate_limited", true],
    [answer(500, googleBody(500, "INTERNAL")), "overloaded", true],
    [answer(503, googleBody(503, "UNAVAILABLE")), "overloaded", true],
    [[google.error(503, "UNAVAILABLE", "overloaded")], "overloaded", true],
    [[...started, google.error(503, "UNAVAILABLE", "overloaded")], "overloaded", true],
    [[...started, google.error(429, "RESOURCE_EXHAUSTED", "slow")], "rate_limited", true],
    [[...started, google.error(400, "INVALID_ARGUMENT", tooLong)], "context_length", false],
    [
      [...started, google.end("MALFORMED_FUNCTION_CALL", { input: 1, output: 1 })],
      "malformed_output",
      true,
    ],
    [[...started], "incomplete", true],
    [[], "incomplete", true],
    [[...started, cut], "network", true],
    [[...started, raw("data: {broken\r\n\r\n")], "malformed_output", true],
  ]);
});

test("[B3] a wait the provider asks for is passed on, also where Google hides it in the body", async () => {
  const retry = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" }];
  const body = googleBody(429, "RESOURCE_EXHAUSTED", "slow", retry);
  assert.equal((await failureAt("google", answer(429, body))).error.retryAfterMs, 37_000);
  const slow = answer(529, anthropicBody("overloaded_error"), { "retry-after": "7" });
  assert.equal((await failureAt("anthropic", slow)).error.retryAfterMs, 7_000);
});

test("[S] no provider's error holds the key, in any form", async () => {
  const forms = [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString("base64"),
    Buffer.from(key).toString("hex"),
  ];
  for (const form of forms) {
    const message = `Bad key ${form} ${"x".repeat(5_000)}`;
    const replies: [KeyedProvider, Reply][] = [
      ["anthropic", answer(401, anthropicBody("authentication_error", message))],
      ["anthropic", [anthropic.start({ input: 1 }), anthropic.error("api_error", message)]],
      ["anthropic", [anthropic.error("api_error", message)]],
      ["openai", answer(401, openaiBody("invalid_api_key", message))],
      ["openai", [...openai.start, openai.failed("server_error", message)]],
      ["google", answer(403, googleBody(403, "PERMISSION_DENIED", message))],
      ["google", [google.error(500, "INTERNAL", message)]],
    ];
    for (const [provider, reply] of replies) {
      const { error } = await failureAt(provider, reply);
      assert.ok(!JSON.stringify([error.message, error.stack]).includes(form), error.message);
      assert.match(error.message, /Bad key \[redacted\] x/);
    }
  }
});

test("[B3] what was said before a failure was passed on, calls of a failed answer were not", async () => {
  const replies: [KeyedProvider, Reply][] = [
    [
      "anthropic",
      [
        anthropic.start({ input: 1 }),
        ...anthropic.text(0, "so far"),
        ...anthropic.call(1, "a", "read", "{}"),
        cut,
      ],
    ],
    [
      "openai",
      [...openai.start, ...openai.text(0, "so far"), ...openai.call(1, "a", "read", "{}"), cut],
    ],
    ["google", [google.parts({ text: "so far" }), google.parts(google.call("read", {})), cut]],
  ];
  for (const [provider, reply] of replies) {
    const { seen } = await failureAt(provider, reply);
    assert.deepEqual(seen, [{ type: "text", text: "so far" }], provider);
  }
});

test("[B3] silence is a timeout and closes the socket, whoever is silent", async () => {
  const silences: [KeyedProvider, Reply][] = [
    ["anthropic", [anthropic.start({ input: 1 }), ...anthropic.text(0, "x"), hang]],
    ["openai", [...openai.start, ...openai.text(0, "x"), hang]],
    ["google", [google.parts({ text: "x" }), hang]],
  ];
  await Promise.all(
    silences.map(async ([provider, reply]) => {
      const { error } = await failureAt(provider, reply, 250);
      assert.equal(error.code, "timeout");
    }),
  );
});
