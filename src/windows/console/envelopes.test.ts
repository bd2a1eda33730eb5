// Whatever is sent: one of the console's envelopes, a code of its tables, and never a failure of ours.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import Fastify from "fastify";
import { CONSOLE_ERRORS } from "./wire/errors.ts";
import { ERRORS } from "../../kernel/events/errors.ts";
import { ConsoleError, consoleErrors } from "./envelopes.ts";
import { openConsole, type Reply } from "./test-support.ts";

const console_ = await openConsole();
after(() => console_[Symbol.asyncDispose]());
const { ask, post, journal } = console_;

const POSTS = [
  "/chat/send",
  "/chat/background",
  "/chat/btw",
  "/chat/stop",
  "/chat/retry",
  "/chat/undo",
  "/chat/compress",
  "/human/approve",
  "/human/deny",
  "/human/clarify",
  "/human/yolo",
];

const STATUS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
  ...CONSOLE_ERRORS,
};

function check(reply: Reply, what: string): void {
  assert.ok(reply.http < 500, `${what}: ${reply.http}`);
  if (reply.ok) return assert.equal(reply.http, 200, what);
  const { code, message, details } = reply.error;
  assert.equal(reply.http, STATUS[code], `${what}: ${code}`);
  assert.equal(typeof message, "string", what);
  assert.equal(typeof details, "object", what);
}

const wild = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom("s1", "run_x", "once", "approve_always", "", " ", "ap_run_x_c1", "__proto__"),
);
const body = fc.record(
  {
    message: wild,
    prompt: wild,
    session_id: wild,
    run_id: wild,
    request_id: wild,
    message_id: wild,
    conversation_history: wild,
    runtime_context: wild,
    instructions: wild,
    attachments: wild,
    model: wild,
    scope: wild,
    response: wild,
    feedback: wild,
    enabled: wild,
    focus_topic: wild,
  },
  { requiredKeys: [] },
);

test("[W6] no body makes a failure of ours, and every refusal has a code of the table", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...POSTS), body, async (path, sent) => {
      const waiting = path === "/chat/compress" ? { wait_s: 0 } : {};
      check(await post(path, { ...sent, ...waiting }), `${path} ${JSON.stringify(sent)}`);
    }),
    { numRuns: tries(1_500) },
  );
  assert.deepEqual(await journal.upkeep.verify(), []);
});

test("[W6] no path, query or method makes a failure of ours", async () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
  const part = fc.oneof(
    fc.constantFrom("chat", "human", "run", "pending", "yolo", "backgrounds", "%2e", "*"),
    fc.webSegment({ size: "small" }),
  );
  const query = fc.oneof(
    fc.webQueryParameters({ size: "small" }),
    fc.constantFrom("limit=x", "session_id=", "session_id=a&session_id=b", "history=1&run_id=%00"),
  );
  const paths = fc.tuple(fc.array(part, { minLength: 1, maxLength: 4 }), query);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), paths, async (method, [parts, search]) => {
      const path = `/${parts.join("/")}?${search}`;
      const { pathname } = new URL(`http://localhost/api/gui${path}`);
      fc.pre(pathname.startsWith("/api/gui/") && !pathname.includes("/stream/")); // dots lead out of it
      const reply = await ask(method, path);
      assert.ok(reply.http < 500, `${method} ${path}: ${reply.http}`);
    }),
    { numRuns: tries(500) },
  );
});

test("[H6, W6] too large, too deep, of another kind: our own codes in the console's envelope", async () => {
  const deep = `{"prompt":"x","runtime_context":${'{"a":'.repeat(70)}1${"}".repeat(70)}}`;
  const cases: [sent: string, code: string, headers?: Record<string, string>][] = [
    [deep, "too_deep"],
    [JSON.stringify({ prompt: "x".repeat(1_100_000) }), "too_large"],
    ["prompt=x", "unsupported_media_type", { "content-type": "text/plain" }],
  ];
  for (const [sent, code, headers] of cases) {
    const reply = await post("/chat/send", sent, headers);
    assert.equal(reply.error.code, code);
    check(reply, code);
  }
});

test("[W6] the document's error envelope; what is said flat never takes the place of the code", async () => {
  const logged: unknown[] = [];
  const app = Fastify();
  consoleErrors(app, (error) => void logged.push(error));
  app.get("/known", async () => {
    throw new ConsoleError("session_not_found", "Session not found", {});
  });
  app.get("/clash", async () => {
    throw new ConsoleError("run_not_found", "No run", { code: "x", message: "y", run_id: "r1" });
  });
  app.get("/broken", async () => {
    throw new Error("SELECT secret FROM places");
  });
  const read = async (url: string) => {
    const reply = await app.inject({ method: "GET", url });
    return [reply.statusCode, reply.json() as unknown];
  };
  assert.deepEqual(await read("/known"), [
    404,
    {
      ok: false,
      error: {
        code: "not_found",
        message: "Session not found",
        reason: "session_not_found",
        details: { reason: "session_not_found" },
      },
    },
  ]);
  const reason = "run_not_found";
  const details = { code: "x", message: "y", run_id: "r1", reason };
  const error = { run_id: "r1", reason, code: "not_found", message: "No run", details };
  assert.deepEqual(await read("/clash"), [404, { ok: false, error }]);
  const [status, hidden] = await read("/broken");
  assert.equal(status, 500);
  assert.ok(!JSON.stringify(hidden).includes("secret"));
  assert.equal(logged.length, 1, "only what nobody expected");
  await app.close();
});
