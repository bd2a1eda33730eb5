// Health, meta, the envelopes, and everything that is not served: the document's own examples.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CONSOLE_ROUTES } from "./wire/routes.ts";
import { both, capability } from "./envelopes.ts";
import { flat, openConsole } from "./test-support.ts";

const console_ = await openConsole();
after(() => console_[Symbol.asyncDispose]());
const { get, post, ask, app } = console_;

test("[W6] the envelopes of the document, with the same fields flat", () => {
  assert.deepEqual(both({}), { ok: true, data: {} });
  assert.deepEqual(both({ a: 1 }), { ok: true, data: { a: 1 }, a: 1 });
  const { ok, data, ...rest } = capability("gateway_service_control_unavailable", {
    platform: "darwin",
  });
  assert.deepEqual(
    { ok, data },
    {
      ok: true,
      data: {
        supported: false,
        reason: "gateway_service_control_unavailable",
        details: { platform: "darwin" },
      },
    },
  );
  assert.deepEqual(rest, data);
});

test("[W6] health answers in both shapes and needs no token", async () => {
  const headers = { host: "localhost:80" };
  const reply = await app.inject({ method: "GET", url: "/api/gui/health", headers });
  const { ok, data, ...real } = reply.json() as Record<string, unknown>;
  assert.equal(ok, true);
  const product = "hermes-web-console";
  assert.deepEqual(real, { status: "ok", service: "gui-backend", product });
  assert.deepEqual(data, { status: "ok", product, service: "gui-backend" });
});

test("[W6] meta has the fields of the document and of the real server, and only true features", async () => {
  const reply = await get("/meta");
  const { product, gui_mount_path, api_base, stream_base, v1_base, schema_version } = reply.data;
  assert.deepEqual(
    { product, gui_mount_path, api_base, stream_base, v1_base, schema_version },
    {
      product: "hermes-web-console",
      gui_mount_path: "/app",
      api_base: "/api/gui",
      stream_base: "/api/gui/stream",
      v1_base: "/v1",
      schema_version: 1,
    },
  );
  assert.equal(typeof reply.data["version"], "string");
  const features = reply.data["features"] as Record<string, boolean>;
  assert.deepEqual(
    [features["workspace"], features["gateway_admin"], features["voice"], features["chat"]],
    [true, false, false, true],
  );
  const { api_base_path, app_base_path, adapter } = flat(reply);
  assert.deepEqual([api_base_path, app_base_path], ["/api/gui", "/app/"]);
  assert.equal(typeof adapter, "string");
  assert.equal((await get("/version")).data["version"], reply.data["version"]);
});

// Requests of the document that this server does not serve, with its bodies.
const UNSERVED: [method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object][] = [
  ["GET", "/memory?target=user"],
  [
    "POST",
    "/memory",
    {
      target: "memory",
      action: "add",
      content: "User prefers concise terminal-renderable responses.",
    },
  ],
  ["GET", "/user-profile"],
  ["GET", "/skills?category=x"],
  ["POST", "/skills/github-issues/install"],
  ["GET", "/gateway/overview"],
  ["POST", "/gateway/pairing/approve", { platform: "telegram", code: "AB12CD34" }],
  ["POST", "/gateway/pairing/revoke", { platform: "telegram", user_id: "123456789" }],
  ["GET", "/browser/status"],
  ["POST", "/browser/connect", { mode: "live_chrome" }],
  ["GET", "/tools"],
  ["POST", "/toolsets/toggle", {}],
  ["GET", "/plugins"],
  ["GET", "/mcp/servers"],
  ["GET", "/usage/nothing"],
  ["GET", "/missions"],
  ["GET", "/auth-status"],
  ["GET", "/auth/schema"],
  ["GET", "/credentials/pool"],
  ["POST", "/system/backup"],
];

test("[W4, W6] what is not served answers the capability envelope, never 404", async () => {
  for (const [method, path, body] of UNSERVED) {
    const reply = await ask(method, path, body);
    const namespace = path.split(/[/?]/)[1] ?? "";
    const reason = `${namespace.replaceAll("-", "_")}_unavailable`;
    assert.equal(reply.http, 200, path);
    assert.equal(reply.ok, true, path);
    const emitted = { supported: false, reason, details: { namespace, method } };
    assert.deepEqual(reply.data, emitted, path);
    assert.deepEqual(flat(reply), emitted, path);
  }
});

test("[W6] unknown endpoints and methods answer it too, whatever is sent with them", async () => {
  for (const [method, path] of [
    ["GET", "/nothing"],
    ["GET", "/chat/send"],
    ["DELETE", "/human/pending"],
    ["PUT", "/meta"],
    ["GET", "/"],
    ["GET", "/constructor/__proto__"],
    ["GET", `/${"x".repeat(250)}`],
  ] as const) {
    const reply = await ask(method, path);
    assert.equal(reply.http, 200, path);
    assert.equal(reply.data["reason"], "unknown_endpoint", path);
  }
  const upload = { "content-type": "multipart/form-data; boundary=x" };
  assert.equal((await post("/browser/upload", "--x\r\nnot really--x", upload)).http, 200);
  assert.equal((await post("/browser/upload", "x".repeat(2_000_000), upload)).http, 200);
  assert.equal((await post("/memory", "{not json")).http, 200);
});

test("[W6, W9] without a token nothing is said, in the console's own envelope", async () => {
  for (const url of ["/api/gui/meta", "/api/gui/human/pending", "/api/gui/workspace/tree"]) {
    const reply = await app.inject({ method: "GET", url, headers: { host: "localhost:80" } });
    assert.equal(reply.statusCode, 401, url);
    const { ok, error } = reply.json() as { ok: boolean; error: { code: string } };
    assert.deepEqual([ok, error.code], [false, "unauthorized"], url);
  }
});

test("[W6, W9] where the document has the page, one is sent to it, without a token", async () => {
  for (const url of ["/app", "/app/", "/app?x=//evil.example"]) {
    const headers = { host: "localhost:80" };
    const reply = await app.inject({ method: "GET", url, headers });
    assert.deepEqual([reply.statusCode, reply.headers.location], [302, "/"], url);
  }
  const evil = await app.inject({ method: "GET", url: "/app", headers: { host: "evil.example" } });
  assert.equal(evil.statusCode, 403);
  const deeper = await app.inject({
    method: "GET",
    url: "/app/x",
    headers: { host: "localhost:80" },
  });
  assert.equal(deeper.statusCode, 404);
});

test("[W6] every route there is stands in the list, and no other", async () => {
  await app.ready();
  // Fastify prints wildcards without their place; what they answer is tried above.
  const listed = CONSOLE_ROUTES.filter(({ path }) => !path.endsWith("*")).map(
    ({ method, path }) => `${method} ${path}`,
  );
  assert.deepEqual(routesIn(app.printRoutes({ commonPrefix: false })), listed.toSorted());
});

/** The tree that Fastify prints, as "GET /api/gui/chat/run/{runId}" lines. */
function routesIn(tree: string): string[] {
  const found = new Set<string>();
  const above: string[] = [];
  for (const line of tree.split("\n")) {
    const match = /^(?<indent>[│ ]*)[├└]── (?<part>\S+)(?: \((?<methods>[A-Z, ]+)\))?/.exec(line);
    const { indent = "", part = "", methods = "" } = match?.groups ?? {};
    above.length = indent.length / 4;
    above.push(part);
    const path = above
      .join("")
      .replace(/(?<=app)\/$/, "")
      .replaceAll(/:(\w+)/g, "{$1}");
    for (const method of methods.split(", ").filter((each) => each !== "" && each !== "HEAD")) {
      if (/^\/(api\/gui\/|app\b)/.test(path)) found.add(`${method} ${path}`);
    }
  }
  return [...found].toSorted();
}
