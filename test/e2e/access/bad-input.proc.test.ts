// Whatever arrives: a typed error, never a 5xx, never a crash, and the server goes on as before.
import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { CONSOLE_ERRORS } from "../../../src/windows/console/wire/errors.ts";
import { ERRORS } from "../../../src/kernel/events/errors.ts";
import { call, startRun } from "../../support/http.ts";
import { newTestHome, startProgram } from "../../support/program.ts";
import { openRaw, sendRaw, type RawAnswer } from "../../support/journal/raw.ts";

const place = newTestHome({ demo_delay_ms: 0 });
const program = await startProgram(place);
const { pid } = (await program.status()).serve ?? {};
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
afterEach(async () => {
  const health = await call(program, "GET", "/api/gui/health");
  assert.equal(health.status, 200);
  assert.equal((await program.status()).serve?.pid, pid, "the same server as before");
  assert.ok(!program.output().includes("serve:"), `it logged an error: ${program.output()}`);
});
const { run_id, session_id } = await startRun(program, "say hello");
const { host } = new URL(program.url);
const MiB = 1_048_576;

const head = (line: string, headers: Record<string, string | number> = {}) =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ host, authorization: `Bearer ${program.token}`, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "\r\n",
  ].join("\r\n");

function post(path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(body);
  const type = { "content-type": "application/json", "content-length": `${bytes.length}` };
  return sendRaw(program.url, [head(`POST ${path}`, { ...type, ...headers }), bytes]);
}

/** Ours, and those that the console's clients know beside them. */
const OURS = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
const STATUS: Readonly<Record<string, number>> = { ...OURS, ...CONSOLE_ERRORS };

function assertRefused(answer: RawAnswer, what: string, code?: string): void {
  const { ok, error } = answer.json();
  assert.equal(ok, false, what);
  assert.ok(STATUS[error.code], `${what}: ${error.code} is not in the table`);
  assert.equal(answer.status, STATUS[error.code], what);
  assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status}`);
  assert.ok(error.message.length < 1_000, `${what}: the message is bounded`);
  if (code) assert.equal(error.code, code, what);
}

const POSTS = [
  "/api/runs",
  "/api/sessions",
  `/api/runs/${run_id}/cancel`,
  `/api/runs/${run_id}/messages`,
  `/api/runs/${run_id}/approvals/x`,
  `/api/runs/${run_id}/clarifications/x`,
  `/api/sessions/${session_id}/title`,
  `/api/sessions/${session_id}/goal`,
  "/api/auth/login",
  "/api/demo/kill-runner",
  "/api/gui/chat/send",
  "/api/gui/chat/stop",
];

test("[H1, H6] what is not JSON, or not the right JSON, is refused by every route", async () => {
  for (const path of POSTS) {
    for (const body of ["{", "nonsense", '{"message":"x",}', "{'a':1}", "\u0000", '"\\ud800']) {
      assertRefused(await post(path, body), `${path} ${body}`, "invalid_json");
    }
    for (const body of ["null", "[]", "[1]", "1", '"text"', "true", '{"__proto__":{"a":1}}']) {
      const answer = await post(path, body);
      if (answer.status !== 200 && answer.status !== 202) assertRefused(answer, `${path} ${body}`);
    }
  }
});

test("[H1] what curl users forget is named: the content type, and a field that is missing", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const untyped = await post("/api/runs", '{"message":"say x"}', form);
  assertRefused(untyped, "curl -d", "unsupported_media_type");
  assert.match(untyped.json().error.message, /content-type: application\/json/);
  for (const [path, field] of [
    ["/api/runs", "message"],
    ["/api/projects", "name"],
  ] as const) {
    const empty = await post(path, "{}");
    assert.equal(empty.json().error.message, `${field}: it is missing`, path);
  }
});

test("[H6a] unknown fields and wrong types are refused", async () => {
  const cases: [path: string, body: unknown, code?: string][] = [
    ["/api/runs", { message: "x", colour: "red" }],
    ["/api/runs", { message: 1 }],
    ["/api/runs", { message: "" }],
    ["/api/runs", { message: "x".repeat(262_145) }],
    ["/api/runs", { message: null }],
    ["/api/runs", { message: { text: "x" } }],
    ["/api/runs", { message: "x", session_id: "a b" }],
    ["/api/runs", { message: "x", session_id: 5 }],
    ["/api/runs", { message: "x", session_id: run_id }],
    ["/api/runs", { message: "x", message_id: "" }],
    ["/api/runs", { message: "x", message_id: "ü" }],
    ["/api/runs", { message: "x", attachments: "none" }],
    ["/api/runs", { message: "x", metadata: [] }],
    ["/api/sessions", { title: 1 }],
    [`/api/runs/${run_id}/cancel`, { reason: 1 }],
    [`/api/runs/${run_id}/cancel`, { force: true }],
    [`/api/runs/${run_id}/messages`, { message: "x", mode: "shout" }],
    [`/api/runs/${run_id}/approvals/x`, { choice: "yes" }],
    [`/api/runs/${run_id}/clarifications/x`, {}],
    [`/api/sessions/${session_id}/title`, { title: "" }],
    [`/api/sessions/${session_id}/goal`, { action: "win" }],
    ["/api/auth/login", { code: "x", token: "y" }],
    ["/api/demo/kill-runner", { run_id: 1 }],
    ["/api/gui/chat/stop", {}, "invalid_run_id"],
    ["/api/gui/chat/send", { session_id }, "invalid_prompt"],
  ];
  for (const [path, body, code = "invalid_request"] of cases) {
    const text = JSON.stringify(body);
    assertRefused(await post(path, text), `${path} ${text.slice(0, 80)}`, code);
  }
});

test("[B2, H6] a body over 1 MiB is refused before it is read, with and without its length", async () => {
  for (const path of POSTS) {
    using announced = openRaw(program.url);
    const type = { "content-type": "application/json" };
    announced.write(head(`POST ${path}`, { ...type, "content-length": 10 * MiB }));
    assertRefused(await announced.answer(), `${path}, announced`, "too_large"); // nothing was sent
  }
  using chunked = openRaw(program.url);
  const type = { "content-type": "application/json", "transfer-encoding": "chunked" };
  chunked.write(head("POST /api/runs", type));
  const chunk = `${(65_536).toString(16)}\r\n${" ".repeat(65_536)}\r\n`;
  for (let sent = 0; sent <= MiB; sent += 65_536) chunked.write(chunk); // never ends
  assertRefused(await chunked.answer(), "chunked", "too_large");
});

test("[H1a] a body that only just fits is stored or refused, never a failure", async () => {
  for (const filler of ["x", "\\u0001", "é", "\\n"]) {
    for (const slack of [100, 1_000]) {
      const frame = '{"message":"say x","metadata":{"a":""}}';
      const room = MiB - slack - frame.length;
      const text = filler.repeat(Math.floor(room / Buffer.byteLength(filler)));
      const answer = await post("/api/runs", frame.replace('""', `"${text}"`));
      if (answer.status !== 202) assertRefused(answer, `${filler} ${slack}`);
    }
  }
});

test("[B2, H6] JSON nested deeper than 64 is refused, up to 64 it is taken", async () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const run = (depth: number) => `{"message":"say x","metadata":{"a":${nested(depth - 2)}}}`;
  assert.equal((await post("/api/runs", run(64))).status, 202);
  assertRefused(await post("/api/runs", run(65)), "65", "too_deep");
  assertRefused(await post("/api/runs", run(100)), "100", "too_deep");
  assertRefused(await post("/api/runs", nested(400_000)), "400,000", "too_deep");
  assertRefused(await post("/api/runs", '{"a":'.repeat(100_000)), "open", "too_deep");
});

test("[H1] only JSON in UTF-8 is taken; nothing is mended on the way in", async () => {
  const json = '{"message":"say x"}';
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
  ]) {
    const answer = await post("/api/runs", json, { "content-type": type });
    assertRefused(answer, `type ${type}`);
  }
  const invalid = Buffer.from(json.replace("x", "\u0000"), "latin1");
  invalid[invalid.indexOf(0)] = 0xff;
  assertRefused(await post("/api/runs", invalid), "0xff", "invalid_json");
  const cut = Buffer.from('{"message":"say €"}').filter((byte) => byte !== 0xac);
  assertRefused(await post("/api/runs", cut), "a cut character", "invalid_json");
});

test("[H1] hostile ids find nothing and touch nothing", async () => {
  const ids = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f",
    "%00",
    "a%00b",
    "%",
    "%zz",
    "%ff%fe",
    "%F0%9F%A6%8A",
    "%E2%80%AE",
    "'%20OR%201=1--",
    "%0d%0aset-cookie:a=b",
    "constructor",
    "__proto__",
    "x".repeat(301),
    "x".repeat(10_000),
    "run_\\",
    "-1",
    "NaN",
  ];
  const places = [
    (id: string) => `GET /api/runs/${id}`,
    (id: string) => `GET /api/runs/${id}/snapshot`,
    (id: string) => `GET /api/runs/${id}/events`,
    (id: string) => `GET /api/sessions/${id}`,
    (id: string) => `GET /api/sessions/${id}/events`,
    (id: string) => `GET /api/blobs/${id}`,
    (id: string) => `GET /assets/${id}`,
    (id: string) => `POST /api/runs/${id}/cancel`,
    (id: string) => `POST /api/runs/${run_id}/approvals/${id}`,
    (id: string) => `GET /api/sessions?limit=${id}`,
    (id: string) => `GET /api/sessions?offset=${id}&limit=-1`,
  ];
  for (const place of places) {
    for (const id of ids) {
      const answer = await sendRaw(program.url, [head(place(id), { "content-length": 0 })]);
      assertRefused(answer, `${place(id).slice(0, 100)}`);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  }
});

test("[H1] wrong methods, unknown routes and bytes that are not HTTP are refused", async () => {
  const lines = [
    ...["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map(
      (method) => `${method} /api/runs/${run_id}`,
    ),
    `HEAD /api/runs/${run_id}/events`,
    `POST /api/runs/${run_id}`,
    "GET /api/runs",
    "GET /api/auth/login",
    "GET /api",
    "GET /api/",
    "GET /nothing",
    "POST /",
    "DELETE /",
  ];
  for (const line of lines) {
    const answer = await sendRaw(program.url, [head(line)]);
    if (line.startsWith("HEAD")) assert.equal(answer.status, 404);
    else assertRefused(answer, line);
  }
  const garbage: [what: string, bytes: string | Uint8Array][] = [
    ["noise", Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10])],
    ["a TLS hello", Buffer.from("160301020001", "hex")],
    ["no version", "GET /\r\n\r\n"],
    ["a control character", head("GET /api/status", { "last-event-id": "a\u0001b" })],
    ["two lengths", head("POST /api/runs", { "content-length": "1, 2" })],
    ["huge head", head("GET /api/status", { "x-fill": "x".repeat(100_000) })],
    [
      "many headers",
      head("GET /api/status").replace("\r\n\r\n", `\r\n${"a: b\r\n".repeat(20_000)}\r\n`),
    ],
  ];
  for (const [what, bytes] of garbage) assertRefused(await sendRaw(program.url, [bytes]), what);
});
