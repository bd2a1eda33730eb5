import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  cut,
  done,
  finish,
  hang,
  raw,
  sse,
  startModelServer,
  textChunk,
  type Reply,
  type ReplyStep,
} from "../../../../../test/support/models/model-server.ts";
import { ModelError, type ModelErrorCode, type ModelRequest } from "../model.ts";
import { createOpenAiCompatible } from "./compatible.ts";

const request: ModelRequest = { messages: [{ role: "user", text: "Hi" }], tools: [], runId: "r1" };
const apiKey = "sk-secret/0123456789";

async function failure(baseUrl: string, idleTimeoutMs = 30_000): Promise<ModelError> {
  const model = createOpenAiCompatible({ provider: "p", id: "m", baseUrl, apiKey, idleTimeoutMs });
  try {
    await Array.fromAsync(model.stream(request, new AbortController().signal));
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    assert.ok(error.message.length <= 300 && error.cause === undefined);
    return error;
  }
  assert.fail("the call succeeded");
}

async function failureOf(reply: Reply): Promise<ModelError> {
  await using server = await startModelServer([reply]);
  return await failure(server.baseUrl);
}

function refusal(status: number, error: unknown = { message: "no" }): Reply {
  return answer(status, { error });
}

test("[B3] every refusal has a code, and only the hopeful ones are retryable", async () => {
  const cases: [Reply, ModelErrorCode, retryable: boolean][] = [
    [refusal(400), "bad_request", false],
    [refusal(401), "auth", false],
    [refusal(402), "auth", false],
    [refusal(403), "auth", false],
    [refusal(404), "unknown_model", false],
    [refusal(408), "timeout", true],
    [refusal(422), "bad_request", false],
    [refusal(429), "rate_limited", true],
    [refusal(429, { message: "pay", code: "insufficient_quota" }), "auth", false],
    [refusal(500), "overloaded", true],
    [refusal(503), "overloaded", true],
    [refusal(529), "overloaded", true],
    [refusal(400, { message: "no", code: "context_length_exceeded" }), "context_length", false],
    [refusal(400, { message: "maximum context length is 8192" }), "context_length", false],
    [
      refusal(500, { message: "input exceeds the available context size" }),
      "context_length",
      false,
    ],
    [refusal(413), "context_length", false],
    [refusal(400, { message: "?", code: "model_not_found" }), "unknown_model", false],
    [[{ step: "head", status: 502, headers: {} }], "overloaded", true],
    [[{ step: "head", status: 500, headers: {} }, raw("<html>not JSON")], "overloaded", true],
  ];
  for (const [reply, code, retryable] of cases) {
    const error = await failureOf(reply);
    assert.deepEqual({ code: error.code, retryable: error.retryable }, { code, retryable });
  }
});

test("[B3] Retry-After is read as seconds, as a date and in milliseconds", async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const bodies = { error: { message: "slow down" } };
  const bySeconds = await failureOf(answer(429, bodies, { "retry-after": "7" }));
  const byDate = await failureOf(answer(503, bodies, { "retry-after": date }));
  const byMilliseconds = await failureOf(answer(429, bodies, { "retry-after-ms": "1500" }));
  const nonsense = await failureOf(answer(429, bodies, { "retry-after": "soon" }));

  assert.equal(bySeconds.retryAfterMs, 7_000);
  assert.ok(byDate.retryAfterMs! > 50_000 && byDate.retryAfterMs! <= 60_000);
  assert.equal(byMilliseconds.retryAfterMs, 1_500);
  assert.equal(nonsense.retryAfterMs, undefined);
});

test("[S] an error message holds neither the key, in any form, nor a whole body", async () => {
  const forms = [
    apiKey,
    encodeURIComponent(apiKey),
    Buffer.from(apiKey).toString("base64"),
    Buffer.from(apiKey).toString("hex"),
  ];
  for (const form of forms) {
    const message = `Bad key ${form}${"\n\u0007"}${"x".repeat(5_000)}`;
    for (const reply of [refusal(401, { message }), [sse({ error: { message } })]]) {
      const error = await failureOf(reply);
      assert.ok(!JSON.stringify([error.message, error.stack]).includes(form), error.message);
      assert.match(error.message, /Bad key \[redacted\] x/);
    }
  }
});

test("[B3] an error inside the stream is mapped by its code", async () => {
  const cases: [unknown, ModelErrorCode][] = [
    [{ message: "busy", code: 429 }, "rate_limited"],
    [{ message: "broken", type: "server_error" }, "overloaded"],
    [{ message: "bad", type: "invalid_request_error" }, "bad_request"],
    [{ message: "prompt is too long" }, "context_length"],
    [{ message: "something" }, "overloaded"],
    [null, "malformed_output"],
  ];
  for (const [error, code] of cases) {
    const reply = [textChunk("so far"), sse({ error, choices: [] }), finish("stop")];
    assert.equal((await failureOf(reply)).code, code);
  }
});

test("[B3] chunks that are no chunks are malformed_output", async () => {
  const bad = [
    raw("data: {broken\n\n"),
    raw("data: null\n\n"),
    sse({ choices: [{ delta: { content: 5 } }] }),
    sse({ choices: [{ delta: { tool_calls: [{ index: "0", function: {} }] } }] }),
    raw('data: {"choices":[{"delta":{"content":"x"}}],"__proto__":{"a":1}}\n\n'),
    raw(`data: ${"[".repeat(100_000)}\n\n`),
    textChunk("x".repeat(1024 * 1024 + 1)),
    raw("x".repeat(5 * 1024 * 1024)),
  ];
  for (const step of bad) {
    assert.equal((await failureOf([step, finish("stop")])).code, "malformed_output");
  }
});

test("[B3] status 200 with a page or a JSON body is not taken for an empty answer", async () => {
  for (const type of ["application/json", "text/html; charset=utf-8"]) {
    const headers = { "content-type": type };
    const error = await failureOf([{ step: "head", status: 200, headers }, raw("{}")]);
    assert.equal(error.code, "malformed_output");
  }
});

test("[B3] an answer that stops without a finish is incomplete, a cut connection is network", async () => {
  assert.equal((await failureOf([textChunk("Hel"), done])).code, "incomplete");
  assert.equal((await failureOf([])).code, "incomplete");
  assert.equal((await failureOf([textChunk("Hel"), finish("error")])).code, "incomplete");
  assert.equal((await failureOf([textChunk("Hel"), cut])).code, "network");
  assert.equal((await failureOf([cut])).code, "network");
});

test("[B3] a server nobody listens on is network, a base URL that is none is bad_request", async () => {
  const server = await startModelServer([]);
  await server[Symbol.asyncDispose]();

  assert.equal((await failure(server.baseUrl)).code, "network");
  assert.equal((await failure("not a url")).code, "bad_request");
});

test("[B3] silence before or between parts is a timeout and closes the socket", async () => {
  const silences = [[hang], [textChunk("Hel"), hang], [raw(": still here\n\n"), hang]];
  await Promise.all(
    silences.map(async (steps) => {
      await using server = await startModelServer([steps]);
      assert.equal((await failure(server.baseUrl, 250)).code, "timeout");
      await (
        await server.request(0)
      ).aborted;
    }),
  );
});

test("[B4] an error body without end is cut, not collected", async () => {
  function* endless(): Generator<ReplyStep> {
    yield { step: "head", status: 500, headers: {} };
    for (;;) yield raw("x".repeat(64 * 1024));
  }
  await using server = await startModelServer([endless()]);

  assert.equal((await failure(server.baseUrl)).code, "overloaded");
  await (
    await server.request(0)
  ).aborted;
});
