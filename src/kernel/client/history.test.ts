// The past by another way than the feed: it saves time and nothing else. However it ends, the feed goes on
// from what came of it, and nothing is lost or there twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { until as eventually } from "../../../test/support/until.ts";
import { honest, startFeedServer } from "../../../test/browser/support/feed-server.ts";
import { talk, until } from "../../../test/browser/support/stream-server.ts";
import {
  beat,
  END,
  isWhole,
  ONE,
  place,
  emitted,
} from "../../../test/support/windows/past-place.ts";
import type { FeedLine } from "./feed-socket.ts";
import { historyOver, readAhead, type ReadHistory } from "./history.ts";

const never = new Promise<never>(() => {});

const bodyOf = (lines: readonly FeedLine[]) =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const answering = (chunks: readonly Uint8Array[], init?: ResponseInit): ReadHistory =>
  historyOver(async () => new Response(ReadableStream.from(chunks), init));

async function allOf(past: ReadHistory): Promise<FeedLine[]> {
  const lines: FeedLine[] = [];
  for await (const batch of past("s1", new AbortController().signal)) lines.push(...batch);
  return lines;
}

test("[L8] a body cut anywhere, within characters too, gives the same lines", async () => {
  const lines = [beat(), ...ONE, END];
  const body = bodyOf(lines);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(body.length), { maxLength: 8 }), async (cuts) => {
      const at = [0, ...cuts, body.length].toSorted((a, b) => a - b);
      const chunks = at.slice(1).map((end, index) => body.slice(at[index], end));
      assert.deepEqual(await allOf(answering(chunks)), lines);
    }),
  );
});

test("[L8] a line that was cut off is not told, and a refusal tells nothing", async () => {
  const body = bodyOf([beat(), ...ONE]);
  assert.deepEqual(await allOf(answering([body.slice(0, -5)])), [beat(), ...ONE.slice(0, -1)]);
  assert.deepEqual(await allOf(answering([body], { status: 401 })), []);
});

test("[L8] what is read ahead comes once and in order, before and after it is asked for", async () => {
  const gate = Promise.withResolvers<void>();
  const ahead = readAhead(
    (async function* numbers() {
      yield* [1, 2];
      await gate.promise;
      yield 3;
      throw new Error("broken");
    })(),
  );
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const number of ahead) {
      seen.push(number);
      if (number === 2) gate.resolve();
    }
  }, /broken/);
  assert.deepEqual(seen, [1, 2, 3]);
});

test("[L8, L1] the history arrives before the socket opens, and the feed continues from its end", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const gate = Promise.withResolvers<void>();
  await using tab = place({
    open: async (signal) => {
      await gate.promise;
      return server.open(signal);
    },
    past: emitted([
      [beat(), ...ONE.slice(0, 3)],
      [...ONE.slice(3), END],
    ]),
  });
  const store = tab.session("s1");
  await until(store, () => store.getState().caughtUp);
  assert.equal(store.getState().session.seq, ONE.length);
  assert.equal(store.getState().connection.state, "connecting", "nobody has confirmed it yet");
  gate.resolve();
  await isWhole(store);
  assert.deepEqual(
    server.watches("s1").map(({ after, epoch }) => [after, epoch]),
    [[ONE.length, "e1"]],
  );
});

const ENDINGS: Readonly<Record<string, { past: ReadHistory; after: number }>> = {
  "cut off": { past: emitted([[beat(), ...ONE.slice(0, 3)]], new TypeError("cut")), after: 3 },
  "ended early": { past: emitted([[beat(), ...ONE.slice(0, 2)]]), after: 2 },
  refused: { past: answering([bodyOf([...ONE])], { status: 403 }), after: 0 },
  "no answer": {
    past: historyOver(() => Promise.reject(new TypeError("no server"))),
    after: 0,
  },
  "not JSON": { past: answering([new TextEncoder().encode("<html>\n")]), after: 0 },
  "with a hole": { past: emitted([[beat(), ...ONE.slice(0, 2), ...ONE.slice(3)]]), after: 2 },
  "told twice": { past: emitted([[beat(), ...ONE.slice(0, 4)], ONE.slice(1)]), after: ONE.length },
};
for (const [what, { past, after }] of Object.entries(ENDINGS)) {
  test(`[L8, V1] a history that is ${what}: the feed continues, and nothing is lost or doubled`, async () => {
    await using server = await startFeedServer({ s1: [honest(ONE)] });
    await using tab = place({ open: server.open, past });
    await isWhole(tab.session("s1"));
    assert.deepEqual(
      server.watches("s1").map((watch) => watch.after),
      [after],
    );
  });
}

test("[L8] silence in the middle of it: it is given up, and the feed is asked", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const given: AbortSignal[] = [];
  const past: ReadHistory = async function* silent(_id, signal) {
    given.push(signal);
    yield [beat(), ...ONE.slice(0, 2)];
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("given up")));
    });
  };
  await using tab = place({ open: server.open, past, answerMs: 20 });
  await isWhole(tab.session("s1"));
  assert.equal(server.watches("s1")[0]?.after, 2);
  assert.ok(given[0]?.aborted, "the request is ended too");
});

test("[L8, D4] a history of another epoch than the feed's is not kept", async () => {
  const older = talk("s1", "r9", ["what was restored away"]);
  await using server = await startFeedServer({ s1: [honest(ONE)], s2: [honest([])] });
  let past: ReadHistory = emitted([]);
  await using tab = place({ open: server.open, past: (id, signal) => past(id, signal) });
  const other = tab.session("s2");
  await until(other, () => other.getState().connection.state === "live"); // the feed's epoch is known
  past = emitted([[beat("e0"), ...older, END]]);
  await isWhole(tab.session("s1"));
  assert.equal(server.watches("s1")[0]?.after, 0);
});

test("[L8, D4] a feed of another epoch than the past starts it from nothing", async () => {
  const older = talk("s1", "r9", ["what was restored away"]);
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const gate = Promise.withResolvers<void>();
  await using tab = place({
    open: async (signal) => {
      await gate.promise;
      return server.open(signal);
    },
    past: emitted([[beat("e0"), ...older, END]]),
  });
  const store = tab.session("s1");
  await until(store, () => store.getState().session.seq === older.length);
  gate.resolve();
  await eventually(() => store.getState().session.seq === ONE.length, "the other history");
  await isWhole(store);
  assert.equal(server.watches("s1").at(-1)?.after, 0);
});

test("[L8, L2] who goes to rest while it is read goes on from what came when woken", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const past: ReadHistory = async function* halting() {
    yield [beat(), ...ONE.slice(0, 2)];
    await never;
  };
  await using tab = place({ open: server.open, past });
  const store = tab.session("s1");
  await until(store, () => store.getState().session.seq === 2);
  store.rest();
  store.wake();
  await isWhole(store);
  assert.deepEqual(
    server.watches("s1").map(({ after }) => after),
    [2],
  );
});

test("[L8] what is still on its way of a session that was closed is for nobody", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  const past: ReadHistory = async function* late() {
    reads += 1;
    if (reads === 1) await gate.promise;
    yield [beat(), ...ONE.slice(0, 2)];
  };
  await using tab = place({ open: server.open, past });
  const first = tab.session("s1");
  first.close();
  await first.closed;
  const second = tab.session("s1");
  gate.resolve();
  await isWhole(second);
  assert.equal(first.getState().session.seq, 0);
  assert.equal(server.watches("s1").length, 1);
});
