import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { Connection, isLost } from "./connection.ts";

/** One message of Postgres's protocol: its letter, its length, its content. */
function message(letter: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(letter), length, content]);
}

const LETS_IN = message("R", Buffer.alloc(4));
const READY = message("Z", Buffer.from("I"));
const STOPS = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));

test("a database that ends in the packet in which it became ready is away, and ends nobody", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.concat([LETS_IN, READY, STOPS])));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `postgres://nobody@127.0.0.1:${port}/none`;
  await using connection = new Connection({ url, name: "test", patienceMs: 0 });

  const asked = connection.withClient((client) => client.query("SELECT 1"));

  await assert.rejects(asked, (error) => isLost(error));
  server.close();
});
