// Real connections: one that is slow and comes to its end, and some that stop in the middle.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { endWhenStalled } from "./stalled-bodies.ts";

const STALL_MS = 500;
const PIECES = 30;
const POST = "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";

/** Tells how many bytes came, and hears what is said back until the connection ends. */
async function serving() {
  const server = createServer((request, response) => {
    endWhenStalled(request, STALL_MS);
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
    [Symbol.dispose]: () => void server.close(),
  };
}

test("[H6b] a body that comes slowly is taken, however long all of it takes", async () => {
  using server = await serving();
  const { socket, ended } = server.begin(`${POST}content-length: ${PIECES}\r\n\r\n`);
  for (let piece = 0; piece < PIECES; piece += 1) {
    await delay((2 * STALL_MS) / PIECES); // twice in all what may pass without anything
    socket.write("x");
  }
  assert.match(await ended, /got 30$/);
});

test("[H6b] a body that stops coming ends its connection, and nothing else does", async () => {
  using server = await serving();
  const halves = [
    `${POST}content-length: 100\r\n\r\nhalf`,
    `${POST}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
  ].map((head) => server.begin(head).ended);
  assert.deepEqual(await Promise.all(halves), ["", ""]);
  assert.match(await server.begin(`${POST}content-length: 4\r\n\r\nhere`).ended, /got 4$/);
  assert.match(await server.begin(`${POST}\r\n`).ended, /got 0$/);
});
