import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { stopPeers } from "../../../../test/support/peer.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import { openBus, type Bus } from "./bus.ts";
import * as s from "../contract/store.contract.ts";
import type { Wake } from "../journal.ts";

after(stopPeers);

const wake = (seq: number): Wake => ({
  logId: "r1",
  seq,
  sessionId: "s1",
  sessionSeq: seq,
  work: false,
});

function directory(name = "qd-bus-") {
  const path = mkdtempSync(join(tmpdir(), name));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A bus that records its wake-ups, and can wait for one. */
function listening(home: string, name: string) {
  const heard: Wake[] = [];
  let changed = Promise.withResolvers<void>();
  const bus = openBus(home, name, (hint) => {
    heard.push(hint);
    changed.resolve();
  });
  return {
    heard,
    publish: (wakes: Wake[]) => bus.publish(wakes),
    [Symbol.dispose]: () => bus[Symbol.dispose](),
    async hears(count: number): Promise<Wake[]> {
      while (heard.length < count) {
        await changed.promise;
        changed = Promise.withResolvers();
      }
      return heard;
    },
  };
}

/** Repeats a wake-up until it was received: connecting takes a moment, and hints may be lost. */
async function meet(from: Pick<Bus, "publish">, to: ReturnType<typeof listening>): Promise<void> {
  await until(() => {
    from.publish([wake(0)]);
    return to.heard.length > 0;
  }, "the two to meet");
}

test("[J11] every process hears every other, whoever came first", async () => {
  using home = directory();
  using a = listening(home.path, "a");
  using b = listening(home.path, "b");
  using c = listening(home.path, "c");
  const all = [a, b, c];
  for (const from of all) for (const to of all) if (from !== to) await meet(from, to);
  for (const each of all) each.heard.length = 0;

  b.publish([wake(1), wake(2)]);

  assert.deepEqual((await a.hears(2)).slice(-2), [wake(1), wake(2)]);
  assert.deepEqual((await c.hears(2)).slice(-2), [wake(1), wake(2)]);
  assert.ok(!b.heard.some(({ seq }) => seq > 0), "not its own");
});

test("[J11] a socket left by a killed process is in nobody's way", async () => {
  using home = directory();
  using a = listening(home.path, "a");
  await until(() => existsSync(join(home.path, "bus/a.sock")), "it to listen");
  const dead = join(home.path, "bus/dead.sock");
  const server = createServer().listen(dead);
  await until(() => existsSync(dead), "the socket");
  server.close(); // unlinks; what stays is a file nobody listens on
  writeFileSync(dead, "");

  using b = listening(home.path, "b");
  await meet(a, b);
  await meet(b, a);
});

test("[J11] a process takes over the socket of a dead one of the same name", async () => {
  using home = directory();
  using b = listening(home.path, "b");
  writeFileSync(join(home.path, "bus/a.sock"), "");
  using a = listening(home.path, "a");
  await meet(a, b);
});

test("[J11] noise on the socket is ignored, and a closed bus leaves no socket", async () => {
  using home = directory();
  {
    using a = listening(home.path, "a");
    const path = join(home.path, "bus/a.sock");
    await until(() => existsSync(path), "it to listen");
    const stranger = connect(path);
    stranger.write("\n \nhello\n\u0000\u0001\nr1 7 s1 7 0\n");
    assert.deepEqual(await a.hears(1), [wake(7)]);
    stranger.destroy();
  }
  assert.deepEqual(readdirSync(join(home.path, "bus")), []);
});

test("[J11] a home with a long name has its sockets elsewhere", async () => {
  using home = directory(`qd-${"long".repeat(30)}-`);
  using a = listening(home.path, "a");
  using b = listening(home.path, "b");
  await meet(b, a);
  assert.ok(!existsSync(join(home.path, "bus")));
});

test("[J11] between processes a wake-up names the log, so nobody has to look everywhere", async () => {
  await using store = sqliteStore();
  const journals = [await store.connect(), await store.connect()];
  const hints = journals.map((journal) => {
    const named = new Set<string>();
    journal.watch((hint) => hint !== "all" && named.add(hint.sessionId));
    return named;
  });
  for (const [index, writer] of journals.entries()) {
    await until(async () => {
      await s.start(writer, { session_id: `by-${index}` });
      return hints[1 - index]?.has(`by-${index}`);
    }, "the other one to be told");
  }
});

test("[J11c] without the bus the poll finds what others wrote", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const socket = join(store.home, "bus/test-1.sock");
  await until(() => existsSync(socket), "it to listen");
  rmSync(socket); // a process that starts now cannot find us, and we greet only at the start
  const other = await store.connect();

  for (const [writer, reader] of [
    [other, journal],
    [journal, other],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<Wake | "all">();
    const unwatch = reader.watch(resolve);
    await s.start(writer);
    assert.equal(await promise, "all", "it was no wake-up, it was the poll");
    unwatch();
    await s.checkSession(reader, "s1");
  }
});
