// What those cost who are not let in: a connection for a moment, and nothing that they send is read on.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { WebSocket } from "ws";
import { call } from "../../support/http.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { openServer } from "../../support/pair.ts";

import { openRaw, sendRaw } from "../../support/journal/raw.ts";

const place = newTestHome();
const server = await openServer(place);
after(async () => {
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const { host } = new URL(server.url);
const bearer = `authorization: Bearer ${server.token}\r\n`;
const CHANNEL = `ws://${host}/api/channels/terminal-dev/ws`;
const MAX_BYTES = 64_000_000; // far more than sockets have room for
const LATEST_MS = 25_000; // a server that keeps them for a minute is a failure

test("[A5b] finding A13: few wait without a token, each for seconds; who proves itself makes room", async () => {
  const open = async () => {
    const ws = new WebSocket(CHANNEL);
    ws.on("error", () => undefined);
    await once(ws, "open");
    return ws;
  };
  const waiting = await Promise.all(Array.from({ length: 64 }, open));
  const closed = waiting.slice(1).map(async (ws) => {
    const [code] = (await once(ws, "close", { signal: AbortSignal.timeout(LATEST_MS) })) as [
      number,
    ];
    return code;
  });
  const refused = async () => {
    const ws = new WebSocket(CHANNEL);
    ws.on("error", () => undefined);
    const answered = once(ws, "unexpected-response");
    answered.catch(() => undefined);
    const let_in = once(ws, "open").then(() => undefined);
    const response = await Promise.race([answered, let_in]);
    ws.terminate();
    return (response?.[1] as { statusCode: number } | undefined)?.statusCode;
  };
  for (const each of closed) each.catch(() => undefined); // told below
  assert.equal(await refused(), 429);
  const [first] = waiting;
  first?.send(JSON.stringify({ type: "connect", peer_id: "p", user_id: "u", token: server.token }));
  await once(first as WebSocket, "message");
  assert.equal(await refused(), undefined, "there is room for one more");
  assert.deepEqual(new Set(await Promise.all(closed)), new Set([1008]));
  assert.equal(first?.readyState, WebSocket.OPEN, "who has proven itself stays");
  first?.terminate();
});

test("[A5] finding A13: after a refusal an endless body is not read on", async () => {
  for (const path of ["/api/runs", "/api/attachments", "/api/gateway/webhook/none"]) {
    using connection = openRaw(server.url);
    const { socket } = connection;
    connection.write(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const pour = () => {
      while (!socket.destroyed && socket.bytesWritten < MAX_BYTES && socket.write(chunk));
      if (socket.bytesWritten >= MAX_BYTES) socket.destroy();
    };
    socket.on("drain", pour);
    pour();
    await connection.closed;
    assert.ok(socket.bytesWritten < MAX_BYTES, `${path}: it was read on and on`);
  }
});

test("[A1] finding A13: one Host header, and an Origin without a path", async () => {
  const ask = async (lines: string) =>
    (await sendRaw(server.url, [`GET /api/status HTTP/1.1\r\n${bearer}${lines}\r\n`])).status;
  assert.equal(await ask(`host: ${host}\r\n`), 200);
  assert.equal(await ask(`host: ${host}\r\nhost: ${host}\r\n`), 400);
  assert.equal(await ask(`host: ${host}\r\nHost: evil.example\r\n`), 400);
  assert.equal(await ask(`host: evil.example\r\nhost: ${host}\r\n`), 400);
  assert.equal(await ask(`host: ${host}\r\norigin: ${server.url}\r\n`), 200);
  assert.equal(await ask(`host: ${host}\r\norigin: ${server.url}/path\r\n`), 403);
});

test("[A1c] finding A13: a browser that says another site asks is refused; the page itself opens from a link", async () => {
  const { stdout } = await quarterdeck(["token", "--link", "--home", place.home]);
  const code = stdout.trim().split("#login=")[1];
  const login = await call<{ csrf: string }>(server, "POST", "/api/auth/login", { code });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  const logged = { authorization: "", cookie, "x-quarterdeck-csrf": login.body.data.csrf };
  const ask = async (path: string, site: string) =>
    (await fetch(server.url + path, { headers: { ...logged, "sec-fetch-site": site } })).status;
  assert.equal(await ask("/api/status", "same-origin"), 200);
  assert.equal(await ask("/api/status", "cross-site"), 403);
  assert.equal(await ask("/api/status", "same-site"), 403, "another port of this machine");
  assert.equal(await ask("/", "cross-site"), 200);
});

test("[A5c] finding A13: no answer of the API is kept by a cache", async () => {
  const keeps = async (path: string, init: RequestInit = {}) =>
    (await fetch(server.url + path, init)).headers.get("cache-control");
  const headers = { authorization: `Bearer ${server.token}` };
  for (const path of ["/api/status", "/api/sessions", "/v1/models", "/api/nothing", "/metrics"]) {
    assert.equal(await keeps(path, { headers }), "no-store", path);
    assert.equal(await keeps(path), "no-store", `${path}, refused`);
  }
  const login = { method: "POST", body: `{"code":"x"}` };
  const json = { "content-type": "application/json" };
  assert.equal(await keeps("/api/auth/login", { ...login, headers: json }), "no-store");
});
