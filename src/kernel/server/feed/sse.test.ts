// A stream that was not wanted any more before it began leaves nothing behind.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import Fastify from "fastify";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../../journal/contract/store.contract.ts";
import { sessionSource } from "./sources.ts";
import { streamEvents } from "./sse.ts";
import { tails, type Subscriber } from "./tail.ts";

test("[H4, B4] who leaves while it is looked whether there is a stream is not kept", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal);
  const open = new Set<Subscriber>();
  const following = tails(journal, (error) => assert.fail(String(error)));
  const streams = { tails: following, heartbeatMs: 60_000, epoch: journal.epoch, open };
  const looking = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const app = Fastify({ forceCloseConnections: true });
  app.get("/", async (_request, reply) => {
    const check = async () => {
      looking.resolve();
      await once(reply.raw, "close"); // as a database that takes its time
    };
    const source = { ...sessionSource(journal, "s1"), check };
    await streamEvents(reply, streams, { source, after: 0 }).finally(over.resolve);
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const peer = connect({ port: (app.server.address() as AddressInfo).port, host: "127.0.0.1" });
  peer.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  await looking.promise;
  peer.destroy();
  await over.promise;
  assert.equal(open.size, 0);
  assert.equal(following.size, 0);
  following.stop();
  await app.close();
});
