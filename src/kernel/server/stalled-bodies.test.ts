// Real connections: one that is slow and comes to its end, and some that stop in the middle.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { until } from "../../../test/support/until.ts";
import { endWhenStalled } from "./stalled-bodies.ts";

const STALL_MS = 500;
const PIECES = 5;
const POST = "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";

/** Tells how many bytes came, and hears what is said back until the connection ends. Time passes when a test says so. */
async function serving(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let came = 0;
  const server = createServer((request, response) => {
    endWhenStalled(request, response, STALL_MS);
    request.on("data", (data: Buffer) => (came += data.length));
    text(request).then(
      (body) => response.end(`got ${body.length}`),
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    begin(head: string) {
      const socket = connect(port, "127.0.0.1");
      let heard = "";
      socket.on("data", (data: Buffer) => (heard += data.toString()));
      socket.on("error", () => undefined);
      socket.write(head);
      return { socket, ended: once(socket, "close").then(() => heard) };
    },
    came: (bytes: number) => until(() => came === bytes, `${bytes} bytes`),
    pass: (ms: number) => t.mock.timers.tick(ms),
    [Symbol.dispose]: () => void server.close(),
  };
}

test("[H6b] a body that comes slowly is taken, however long all of it takes", async (t) => {
  using server = await serving(t);
  const { socket, ended } = server.begin(`${POST}content-length: ${PIECES}\r\n\r\n`);
  for (let piece = 1; piece < PIECES; piece += 1) {
    socket.write("x");
    await server.came(piece);
    server.pass(STALL_MS);
  }
  socket.write("x");
  assert.match(await ended, /got 5$/);
});

test("[H6b] a body that stops coming ends its connection, and nothing else does", async (t) => {
  using server = await serving(t);
  const halves = [
    `${POST}content-length: 100\r\n\r\nhalf`,
    `${POST}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
  ].map((head) => server.begin(head).ended);
  await server.came(8);
  server.pass(2 * STALL_MS);
  assert.deepEqual(await Promise.all(halves), ["", ""]);
  assert.match(await server.begin(`${POST}content-length: 4\r\n\r\nhere`).ended, /got 4$/);
  assert.match(await server.begin(`${POST}\r\n`).ended, /got 0$/);
});
