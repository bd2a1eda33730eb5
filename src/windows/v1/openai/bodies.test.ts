// What clients may send to the OpenAI-compatible routes, and what they are told when they may not: always
// the format's own error, never a failure of ours, and nothing changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openV1, type Reply } from "../test-support.ts";

const LIMIT = { timeout: 30_000 }; // a request that is not refused would wait for a run

const user = (content: unknown) => ({ role: "user", content });
const chat = (messages: unknown, more: object = {}) => ({
  model: "quarterdeck",
  messages,
  ...more,
});

const { ask, journal, ...v1 } = await openV1();
test.after(() => v1[Symbol.asyncDispose]());

async function sessionCount(): Promise<number> {
  return (await journal.reads.sessions({ limit: 500, offset: 0 })).length;
}

const REFUSED: readonly [string, string, unknown, string | null, string][] = [
  ["no messages", "chat/completions", {}, "messages", "invalid_request"],
  ["messages that are none", "chat/completions", chat("hello"), "messages", "invalid_request"],
  ["an empty list", "chat/completions", chat([]), "messages", "invalid_request"],
  ["a message that is none", "chat/completions", chat([7]), "messages.0", "invalid_value"],
  ["no role", "chat/completions", chat([{ content: "x" }]), "messages.0.role", "invalid_value"],
  [
    "an unknown role",
    "chat/completions",
    chat([{ role: "bot", content: "x" }]),
    "messages.0.role",
    "invalid_value",
  ],
  [
    "no content",
    "chat/completions",
    chat([{ role: "user" }]),
    "messages.0.content",
    "invalid_value",
  ],
  [
    "an image",
    "chat/completions",
    chat([
      user([
        { type: "text", text: "see" },
        { type: "image_url", image_url: { url: "x" } },
      ]),
    ]),
    "messages.0.content.1",
    "unsupported_parameter",
  ],
  [
    "an assistant at the end",
    "chat/completions",
    chat([user("a"), { role: "assistant", content: "b" }]),
    "messages",
    "invalid_value",
  ],
  ["empty words", "chat/completions", chat([user("")]), "messages", "invalid_value"],
  [
    "too long a message",
    "chat/completions",
    chat([user("x".repeat(131_073))]),
    "messages",
    "invalid_value",
  ],
  ["two answers", "chat/completions", chat([user("a")], { n: 2 }), "n", "unsupported_parameter"],
  [
    "tools",
    "chat/completions",
    chat([user("a")], { tools: [{}] }),
    "tools",
    "unsupported_parameter",
  ],
  [
    "functions",
    "chat/completions",
    chat([user("a")], { functions: [{}] }),
    "functions",
    "unsupported_parameter",
  ],
  [
    "logprobs",
    "chat/completions",
    chat([user("a")], { logprobs: true }),
    "logprobs",
    "unsupported_parameter",
  ],
  ["audio", "chat/completions", chat([user("a")], { audio: {} }), "audio", "unsupported_parameter"],
  [
    "a schema",
    "chat/completions",
    chat([user("a")], { response_format: { type: "json_object" } }),
    "response_format",
    "unsupported_parameter",
  ],
  [
    "stop words",
    "chat/completions",
    chat([user("a")], { stop: ["x"] }),
    "stop",
    "unsupported_parameter",
  ],
  [
    "a stream of what",
    "chat/completions",
    chat([user("a")], { stream: "yes" }),
    "stream",
    "invalid_request",
  ],
  [
    "an unknown model",
    "chat/completions",
    chat([user("a")], { model: "gpt-99" }),
    "model",
    "model_not_found",
  ],
  ["no input", "responses", {}, "input", "invalid_request"],
  ["empty input", "responses", { input: "" }, "input", "invalid_value"],
  ["an empty list", "responses", { input: [] }, "input", "invalid_value"],
  [
    "an unknown item",
    "responses",
    { input: [{ type: "computer_call" }] },
    "input.0.type",
    "unsupported_parameter",
  ],
  [
    "an image",
    "responses",
    { input: [user([{ type: "input_image", image_url: "x" }])] },
    "input.0.content.0",
    "unsupported_parameter",
  ],
  [
    "a result of nothing",
    "responses",
    { input: [{ type: "function_call_output", call_id: "c", output: "x" }, user("go")] },
    "input.0.call_id",
    "invalid_value",
  ],
  [
    "an approval of nothing",
    "responses",
    { input: [{ type: "mcp_approval_response", approval_request_id: "a", approve: true }] },
    "input.0.approval_request_id",
    "invalid_value",
  ],
  [
    "a half approval",
    "responses",
    { input: [{ type: "mcp_approval_response", approval_request_id: "a" }] },
    "input.0.approve",
    "invalid_value",
  ],
  [
    "a previous response that is none",
    "responses",
    { input: "go", previous_response_id: "resp_nobody" },
    "previous_response_id",
    "previous_response_not_found",
  ],
  [
    "both pasts",
    "responses",
    { input: "go", previous_response_id: "resp_x", conversation: "c" },
    "conversation",
    "invalid_value",
  ],
  [
    "a conversation with a bad name",
    "responses",
    { input: "go", conversation: "a b" },
    "conversation",
    "invalid_value",
  ],
  ["tools", "responses", { input: "go", tools: [{}] }, "tools", "unsupported_parameter"],
  [
    "a prompt template",
    "responses",
    { input: "go", prompt: { id: "p" } },
    "prompt",
    "unsupported_parameter",
  ],
  [
    "a schema",
    "responses",
    { input: "go", text: { format: { type: "json_schema" } } },
    "text",
    "unsupported_parameter",
  ],
];

for (const [what, path, body, param, code] of REFUSED) {
  test(
    `[W6] ${path} refuses ${what} with the format's error, and starts nothing`,
    LIMIT,
    async () => {
      const before = await sessionCount();
      const { status, error } = await ask(`/v1/${path}`, { body });
      assert.equal(status, code === "model_not_found" ? 404 : 400);
      assert.deepEqual([error.param, error.code], [param, code]);
      assert.equal(error.type, "invalid_request_error");
      assert.ok(error.message.length > 5);
      assert.equal(await sessionCount(), before);
    },
  );
}

test("[W6] every error under /v1 is the format's own, whoever raises it", LIMIT, async () => {
  const wrong = (reply: Reply) => [reply.status, reply.error.type, reply.error.code];
  const answers = {
    none: await ask("/v1/models", { headers: { authorization: "" } }),
    token: await ask("/v1/models", { headers: { authorization: "Bearer wrong" } }),
    host: await ask("/v1/models", { headers: { host: "evil.example" } }),
    path: await ask("/v1/nowhere"),
    method: await ask("/v1/chat/completions", { method: "PUT", body: {} }),
    json: await ask("/v1/responses", { body: "{" }),
    media: await ask("/v1/responses", { body: "a=b", headers: { "content-type": "text/plain" } }),
    large: await ask("/v1/responses", { body: { input: "x".repeat(1_048_577) } }),
    model: await ask("/v1/models/nobody"),
    response: await ask("/v1/responses/resp_nobody"),
    odd: await ask(`/v1/responses/${encodeURIComponent("resp_../x y")}`),
  };
  assert.deepEqual(Object.fromEntries(Object.entries(answers).map(([k, v]) => [k, wrong(v)])), {
    none: [401, "authentication_error", "invalid_api_key"],
    token: [401, "authentication_error", "invalid_api_key"],
    host: [403, "permission_error", "bad_host"],
    path: [404, "invalid_request_error", "unknown_url"],
    method: [404, "invalid_request_error", "unknown_url"],
    json: [400, "invalid_request_error", "invalid_json"],
    media: [415, "invalid_request_error", "unsupported_media_type"],
    large: [413, "invalid_request_error", "too_large"],
    model: [404, "invalid_request_error", "model_not_found"],
    response: [404, "invalid_request_error", "response_not_found"],
    odd: [404, "invalid_request_error", "response_not_found"],
  });
  for (const { body, headers } of Object.values(answers)) {
    assert.deepEqual(Object.keys(body), ["error"]);
    assert.equal(headers["x-should-retry"], "false", "the client does not ask again by itself");
  }
});

test("[W6] headers are checked before anything is started", LIMIT, async () => {
  const before = await sessionCount();
  const body = { input: "go", background: true };
  for (const [name, value, code] of [
    ["x-hermes-session-id", "a b", "invalid_value"],
    ["x-hermes-session-key", "schlüssel", "invalid_value"],
    ["idempotency-key", "a b", "invalid_idempotency_key"],
  ] as const) {
    const { status, error } = await ask("/v1/responses", { body, headers: { [name]: value } });
    assert.deepEqual([status, error.code, error.param?.toLowerCase()], [400, code, name]);
  }
  assert.equal(await sessionCount(), before);
});

test(
  "[W6] models: those there are, the agent's names, and names without their provider",
  LIMIT,
  async () => {
    const { body } = await ask("/v1/models");
    const listed = body["data"] as { id: string; object: string; owned_by: string }[];
    assert.deepEqual(
      listed.map(({ id, owned_by }) => `${id} of ${owned_by}`),
      [
        "hermes-agent of quarterdeck",
        "quarterdeck of quarterdeck",
        "demo/demo of demo",
        "local/tiny of local",
      ],
    );
    assert.equal((await ask("/v1/models/local%2Ftiny")).body["id"], "local/tiny");
    assert.equal((await ask("/v1/models/local/tiny")).body["id"], "local/tiny");
    const named = async (model?: string | null) =>
      (await ask("/v1/responses", { body: { model, input: "go", background: true } })).body[
        "model"
      ];
    assert.equal(await named("tiny"), "local/tiny");
    assert.equal(await named("any/thing"), "any/thing");
    for (const model of ["hermes-agent", "quarterdeck", null, undefined]) {
      assert.equal(await named(model), "demo/demo");
    }
  },
);
