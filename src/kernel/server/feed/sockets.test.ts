// What every WebSocket of ours keeps, whatever window it is.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { until } from "../../../../test/support/until.ts";
import { mountSockets, packMessages, type Socket, type SocketRoute } from "./sockets.ts";
import type { Streams } from "./sse.ts";

const TOKEN = "t".repeat(43);
const BEARER = { authorization: `Bearer ${TOKEN}` };

async function serving(open: SocketRoute["open"], more: { heartbeatMs?: number } = {}) {
  const server = createServer();
  const streams = {
    open: new Set(),
    heartbeatMs: more.heartbeatMs ?? 10_000,
  } as unknown as Streams;
  const errors: unknown[] = [];
  const hosts = new Set<string>();
  const auth = { token: () => TOKEN, required: true, hosts: () => hosts };
  const routes: SocketRoute[] = [
    { path: "/strict/:name", auth: "header", open },
    { path: "/loose", auth: "frame", open },
  ];
  mountSockets(server, routes, {
    auth,
    streams,
    takeTicket: async () => false,
    logError: (error) => void errors.push(error),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  hosts.add(`127.0.0.1:${port}`);
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    streams,
    errors,
    connections: () => promisify(server.getConnections.bind(server))(),
    [Symbol.asyncDispose]: async () => {
      for (const subscriber of streams.open) subscriber.end();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function opened(url: string, headers: Record<string, string> = BEARER): Promise<WebSocket> {
  const ws = new WebSocket(url, { headers });
  await once(ws, "open");
  return ws;
}

/** The status a handshake is answered with. */
async function refused(url: string, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(url, { headers });
  ws.on("error", () => undefined);
  const [, response] = (await once(ws, "unexpected-response")) as [unknown, { statusCode: number }];
  ws.terminate();
  return response.statusCode;
}

const echo: SocketRoute["open"] = (socket) => (text) => socket.send({ echo: text });

test("[W9, A1, A2] host, origin and token are checked before the handshake", async () => {
  await using server = await serving(echo);
  const { url } = server;
  assert.equal(await refused(`${url}/strict/a`, {}), 401);
  assert.equal(await refused(`${url}/strict/a`, { authorization: "Bearer wrong" }), 401);
  assert.equal(await refused(`${url}/strict/a`, { ...BEARER, host: "evil.example" }), 403);
  assert.equal(await refused(`${url}/strict/a`, { ...BEARER, origin: "http://evil.example" }), 403);
  assert.equal(await refused(`${url}/nowhere`, BEARER), 404);
  // A cookie alone proves nothing: any page's script makes the browser send it.
  assert.equal(await refused(`${url}/strict/a`, { cookie: "qd_session=x" }), 401);
  assert.equal(await refused(`${url}/strict/%ff`, BEARER), 400);
  const ws = await opened(`${url}/strict/a`);
  ws.terminate();
});

test("[W9, B4] who is refused and stays on the line is hung up on", async () => {
  await using server = await serving(echo);
  const host = `127.0.0.1:${server.port}`;
  const handshake = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const head = ["GET /strict/a HTTP/1.1", `Host: ${host}`, ...handshake, "", ""].join("\r\n");
  const peer = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  let answer = "";
  peer.on("data", (data: Buffer) => (answer += data.toString())).write(head);
  await once(peer, "end");
  assert.match(answer, /^HTTP\/1\.1 401 /);
  await until(async () => (await server.connections()) === 0, "the server to let go of it");
  peer.destroy();
});

test("[W9] a route may ask for the token in a frame, and is told whether there was one", async () => {
  const seen: boolean[] = [];
  await using server = await serving((_socket, { authenticated }) => {
    seen.push(authenticated);
    return () => undefined;
  });
  for (const headers of [{}, BEARER]) (await opened(`${server.url}/loose`, headers)).terminate();
  assert.deepEqual(seen, [false, true]);
  assert.equal(await refused(`${server.url}/loose`, { authorization: "Bearer wrong" }), 401);
  // The token as the password of an address: all that can be set on many a device.
  const basic = (password: string) => `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
  (await opened(`${server.url}/loose`, { authorization: basic(TOKEN) })).terminate();
  assert.deepEqual(seen, [false, true, true]);
  assert.equal(await refused(`${server.url}/loose`, { authorization: basic("wrong") }), 401);
  assert.equal(await refused(`${server.url}/strict/a`, { authorization: basic(TOKEN) }), 401);
});

test("[W9] texts of every size arrive whole, also when packed together", async () => {
  const sizes = [0, 1, 125, 126, 65_535, 65_536, 300_000];
  await using server = await serving((socket) => {
    return () => {
      socket.subscriber.write(packMessages(sizes.map((size) => "é".repeat(size))));
      socket.send({ last: true });
    };
  });
  const ws = await opened(`${server.url}/strict/a`);
  const got: string[] = [];
  ws.on("message", (data: Buffer) => got.push(data.toString()));
  ws.send("go");
  await until(() => got.length === sizes.length + 1);
  assert.deepEqual(
    got.slice(0, -1).map((text) => text.length),
    sizes,
  );
  assert.deepEqual(JSON.parse(got.at(-1) ?? ""), { last: true });
  ws.terminate();
});

test("[W9a, B2] too large closes with 1009, binary with 1003; the server goes on", async () => {
  await using server = await serving(echo);
  const closing = async (data: string | Buffer) => {
    const ws = await opened(`${server.url}/strict/a`);
    ws.on("error", () => undefined);
    ws.send(data);
    return ((await once(ws, "close")) as [number])[0];
  };
  assert.equal(await closing("x".repeat(1_048_577)), 1009);
  assert.equal(await closing(Buffer.from([1, 2, 3])), 1003);
  assert.deepEqual(server.errors, []);
});

test("[W9, B4] texts are taken one after the other, and a failing one ends only its socket", async () => {
  const order: string[] = [];
  await using server = await serving((socket) => async (text) => {
    order.push(`begin ${text}`);
    if (text === "bad") throw new Error("boom");
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`end ${text}`);
    socket.send({ done: text });
  });
  const ws = await opened(`${server.url}/strict/a`);
  let done = 0;
  ws.on("message", () => (done += 1));
  for (const text of ["1", "2", "3"]) ws.send(text);
  await until(() => done === 3);
  assert.deepEqual(order, ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
  ws.send("bad");
  assert.equal(((await once(ws, "close")) as [number])[0], 1011);
  assert.equal(server.errors.length, 1);
});

test("[W9a, V4] a peer that answers no ping is dropped", async () => {
  let gone: AbortSignal | undefined;
  await using server = await serving(
    (socket: Socket) => {
      gone = socket.gone;
      return () => undefined;
    },
    { heartbeatMs: 20 },
  );
  // A raw socket that shakes hands and then says nothing, not even pong.
  const raw = connect(server.port, "127.0.0.1");
  raw.on("error", () => undefined);
  raw.write(
    `GET /strict/a HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${BEARER.authorization}\r\n` +
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  const [head] = (await once(raw, "data")) as [Buffer];
  assert.match(head.toString(), /101 Switching/);
  await once(raw, "close");
  await until(() => gone?.aborted === true);
  assert.equal(server.streams.open.size, 0);
});

test("[W9, B2] an address that cannot be read is refused, not an error of ours; other upgrades are no sockets", async () => {
  await using server = await serving(echo);
  const answerTo = async (target: string) => {
    const raw = connect(server.port, "127.0.0.1");
    raw.on("error", () => undefined);
    raw.write(
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    const [head] = (await once(raw, "data")) as [Buffer];
    raw.destroy();
    return Number(head.toString().split(" ")[1]);
  };
  for (const target of ["//", "http://[", "//a:b@:99999/ws"]) {
    assert.equal(await answerTo(target), 400, target);
  }
  assert.deepEqual(server.errors, []);
});

test("[A3, W9] what a socket sends after we closed it is not obeyed", async () => {
  const taken: string[] = [];
  await using server = await serving(() => (text) => void taken.push(text));
  const ws = await opened(`${server.url}/strict/a`);
  ws.send("before");
  await until(() => taken.length === 1);
  for (const subscriber of server.streams.open) subscriber.end();
  ws.send("after");
  await once(ws, "close");
  assert.deepEqual(taken, ["before"]);
});

test("[W9] what was sent is known to be read by a peer that answers, and never by one that is gone", async () => {
  let socket: Socket | undefined;
  await using server = await serving((opening) => {
    socket = opening;
    return () => undefined;
  });
  const ws = await opened(`${server.url}/strict/a`);
  await until(() => socket !== undefined);
  assert.equal(await socket?.reached(), true);
  ws.terminate();
  await until(() => socket?.gone.aborted === true);
  assert.equal(await socket?.reached(), false);
});
