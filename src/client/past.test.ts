// The past by another way than the feed: it saves time and nothing else. However it ends, the feed goes on
// from what came of it, and nothing is lost or there twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { z } from "zod";
import { honest, startFeedServer } from "../../test/browser/support/feed-server.ts";
import { talk, until } from "../../test/browser/support/stream-server.ts";
import { until as eventually } from "../../test/support/until.ts";
import type { FeedFrame } from "../protocol/api-records-feed.ts";
import type { FeedLine, OpenFeedSocket } from "./feed-socket.ts";
import { openFeed } from "./feed.ts";
import { pastOver, readAhead, type ReadPast } from "./past.ts";
import type { RunEvent } from "../protocol/events.ts";
import { emptyFolded, foldEvents, toFoldedSnapshot } from "../protocol/folded.ts";
import { REDUCER_VERSION } from "../protocol/version.ts";
import {
  emptyView,
  foldSession,
  momentOf,
  openSession,
  type SessionStore,
} from "./session-store.ts";

const ONE = talk("s1", "r1", ["one ", "zwei — ", "three 🙂 ", "four"]);
const FAST = { minMs: 1, maxMs: 4, silenceMs: 60_000, answerMs: 60_000 };
const api = { events: () => assert.fail("no stream of its own") };
const beat = (epoch = "e1"): FeedFrame => ({ feed: "heartbeat", epoch, at: 0 });
const END: FeedFrame = { feed: "caught_up", session_id: "s1", session_seq: ONE.length };
const never = new Promise<never>(() => {});

type Options = {
  readonly open: OpenFeedSocket;
  readonly past: ReadPast;
  readonly answerMs?: number;
};

function place({ open, past, answerMs = FAST.answerMs }: Options) {
  const feed = openFeed({ open, past, timing: { ...FAST, answerMs }, random: () => 0 });
  const session = (sessionId: string) => openSession(sessionId, { api, follow: feed.follow });
  const close = async () => {
    feed.close();
    await feed.closed;
  };
  return { feed, session, [Symbol.asyncDispose]: close };
}

/** Batches, then a failure where one is given. */
const told = (batches: readonly (readonly FeedLine[])[], failure?: Error): ReadPast =>
  async function* past() {
    yield* batches;
    if (failure) throw failure;
  };

async function isWhole(store: SessionStore): Promise<void> {
  await until(store, () => store.getState().connection.state === "live");
  await until(store, () => store.getState().session.seq === ONE.length);
  await until(store, () => store.getState().caughtUp);
  const { session, runs } = store.getState();
  const whole = foldSession(emptyView("s1"), ONE);
  assert.deepEqual({ session, runs }, { session: whole.session, runs: whole.runs });
  assert.deepEqual(store.getDrift(), []);
}

const bodyOf = (lines: readonly FeedLine[]) =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const answering = (chunks: readonly Uint8Array[], init?: ResponseInit): ReadPast =>
  pastOver(async () => new Response(ReadableStream.from(chunks), init));

async function allOf(past: ReadPast): Promise<FeedLine[]> {
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

test("[L8, L1] the past is there before the socket is, says so, and the feed goes on from its end", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const gate = Promise.withResolvers<void>();
  await using tab = place({
    open: async (signal) => {
      await gate.promise;
      return server.open(signal);
    },
    past: told([
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

const ENDINGS: Readonly<Record<string, { past: ReadPast; after: number }>> = {
  "cut off": { past: told([[beat(), ...ONE.slice(0, 3)]], new TypeError("cut")), after: 3 },
  "ended early": { past: told([[beat(), ...ONE.slice(0, 2)]]), after: 2 },
  refused: { past: answering([bodyOf([...ONE])], { status: 403 }), after: 0 },
  "no answer": {
    past: pastOver(() => Promise.reject(new TypeError("no server"))),
    after: 0,
  },
  "not JSON": { past: answering([new TextEncoder().encode("<html>\n")]), after: 0 },
  "with a hole": { past: told([[beat(), ...ONE.slice(0, 2), ...ONE.slice(3)]]), after: 2 },
  "told twice": { past: told([[beat(), ...ONE.slice(0, 4)], ONE.slice(1)]), after: ONE.length },
};
for (const [what, { past, after }] of Object.entries(ENDINGS)) {
  test(`[L8, V1] a past that is ${what}: the feed goes on, and nothing is lost or there twice`, async () => {
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
  const past: ReadPast = async function* silent(_id, signal) {
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

test("[L8, D4] a past of another epoch than the feed's is not kept", async () => {
  const older = talk("s1", "r9", ["what was restored away"]);
  await using server = await startFeedServer({ s1: [honest(ONE)], s2: [honest([])] });
  let past: ReadPast = told([]);
  await using tab = place({ open: server.open, past: (id, signal) => past(id, signal) });
  const other = tab.session("s2");
  await until(other, () => other.getState().connection.state === "live"); // the feed's epoch is known
  past = told([[beat("e0"), ...older, END]]);
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
    past: told([[beat("e0"), ...older, END]]),
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
  const past: ReadPast = async function* halting() {
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
  const past: ReadPast = async function* late() {
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

const AHEAD = 4;
/** What a server with that many events would have made of them. */
const foldOf = (events: readonly RunEvent[]): FeedFrame => ({
  feed: "fold",
  session_id: "s1",
  session_seq: events.length,
  reducer: REDUCER_VERSION,
  folded: structuredClone(
    toFoldedSnapshot(foldEvents(emptyFolded("s1"), events)),
  ) as unknown as z.core.util.JSONType,
});
const FIRST = [beat(), foldOf(ONE.slice(0, AHEAD)), ...ONE.slice(AHEAD), END];

test("[L8, V2] a fold is shown before its events are read; with them every moment can be", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const gate = Promise.withResolvers<void>();
  await using tab = place({
    open: server.open,
    past: async function* past(_id, _signal, to) {
      if (to === undefined) return yield FIRST;
      await gate.promise;
      yield ONE.slice(0, to);
    },
  });
  const store = tab.session("s1");
  await isWhole(store); // and live
  const early = momentOf(store, 2);
  assert.equal(early.getState().caughtUp, false, "its events are not here");
  assert.equal(early.getState(), early.getState());
  gate.resolve();
  await store.recording.whole();
  assert.deepEqual(
    early.getState().session,
    foldEvents(emptyFolded("s1"), ONE.slice(0, 2)).session,
  );
  assert.equal(early.getState().caughtUp, true);
  assert.deepEqual(
    store.recording.between(0, ONE.length).map(({ event_id }) => event_id),
    ONE.map(({ event_id }) => event_id),
  );
  assert.equal(server.watches("s1").length, 1);
});

test("[L8, V1] what a fold was made of is asked for again when it was cut off, also after a rest", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  let asked = 0;
  await using tab = place({
    open: server.open,
    past: async function* past(_id, signal, to) {
      if (to === undefined) return yield FIRST;
      asked += 1;
      yield ONE.slice(0, 2);
      if (asked === 1) throw new TypeError("cut");
      if (asked === 2) await new Promise((_, reject) => signal.addEventListener("abort", reject));
      yield ONE.slice(0, to);
    },
  });
  const store = tab.session("s1");
  await eventually(() => asked === 2, "the second reading");
  store.rest();
  store.wake();
  await store.recording.whole();
  assert.equal(asked, 3);
  await isWhole(store);
});

test("[L8, D7] what a fold was made of and cannot be read is asked of the feed; what is shown stays", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  let asked = 0;
  await using tab = place({
    open: server.open,
    past: async function* past(_id, _signal, to) {
      if (to === undefined) return yield FIRST;
      asked += 1;
      throw new TypeError("damaged");
    },
  });
  const store = tab.session("s1");
  const shorter: number[] = [];
  store.subscribe(() => {
    if (store.getState().caughtUp && store.getState().session.seq < ONE.length) shorter.push(1);
  });
  await until(store, () => store.getState().caughtUp);
  await store.recording.whole();
  await isWhole(store);
  assert.deepEqual(shorter, []);
  assert.ok(asked >= 4);
  assert.deepEqual(
    server.watches("s1").map(({ after }) => after),
    [ONE.length, 0],
  );
});

test("[L8, L5] a fold that is wrong is found out by its hash and read anew from the events", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const ahead = ONE.length - 2;
  const wrong = foldOf(talk("s1", "r1", ["quite ", "another ", "story ", "this"]).slice(0, ahead));
  await using tab = place({
    open: server.open,
    past: async function* past(_id, _signal, to) {
      yield to === undefined ? [beat(), wrong, ...ONE.slice(ahead), END] : ONE.slice(0, to);
    },
  });
  const store = tab.session("s1");
  await until(store, () => store.getDrift().some(({ repaired }) => repaired));
  const { session, runs } = store.getState();
  const whole = foldSession(emptyView("s1"), ONE);
  assert.deepEqual({ session, runs }, { session: whole.session, runs: whole.runs });
});

test("[L8] a fold of another reducer is left alone", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const other = JSON.parse(
    JSON.stringify(foldOf(ONE.slice(0, AHEAD))).replaceAll(/"reducer":\d+/g, '"reducer":0'),
  ) as FeedFrame;
  await using tab = place({ open: server.open, past: told([[beat(), other, ...ONE, END]]) });
  await isWhole(tab.session("s1"));
});
