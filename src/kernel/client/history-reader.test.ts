// A fold that comes ahead of its events: shown at once, completed when there is time, found out when it is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
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
import type { FeedFrame } from "../api/records/feed.ts";
import type { RunEvent } from "../events/events.ts";
import { emptyFolded, foldEvents, toFoldedSnapshot } from "../state/folded.ts";
import { REDUCER_VERSION } from "../events/version.ts";
import type { Follower } from "./follow.ts";
import { HistoryReader, type HistoryFollower } from "./history-reader.ts";
import { emptyView, foldSession, momentOf } from "./sessions/store.ts";

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

test("[L8d, V2] a fold is shown before its events are read; with them every moment can be", async () => {
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

test("[L8g, L5] a fold that is wrong is found out by its hash and read anew from the events", async () => {
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

test("[L8g] a fold of another reducer is left alone", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const other = JSON.parse(
    JSON.stringify(foldOf(ONE.slice(0, AHEAD))).replaceAll(/"reducer":\d+/g, '"reducer":0'),
  ) as FeedFrame;
  await using tab = place({ open: server.open, past: emitted([[beat(), other, ...ONE, END]]) });
  await isWhole(tab.session("s1"));
});

test("[L8, V5] while the server is away it is asked less and less for what a fold was made of", async () => {
  const waits: number[] = [];
  const over = Promise.withResolvers<void>();
  const follower = { missing: () => AHEAD, renew: () => assert.fail("nobody said it is damaged") };
  const followed = {
    sessionId: "s1",
    follower: follower as unknown as Follower,

    reading: null,
    unread: 0,
    tries: 0,
  };
  const reader = new HistoryReader<typeof followed & HistoryFollower>({
    read: emitted([], new TypeError("fetch failed")),
    whenIdle: (work) => work(),
    later: (times, work) => {
      waits.push(times);
      if (waits.length < 6) work();
      else over.resolve();
    },
    mayRead: () => true,
    isLive: () => false,
    watch: () => assert.fail("it is watched already"),
    isOf: () => true,
  });
  reader.complete(followed);
  await over.promise;
  assert.deepEqual(waits, [1, 2, 3, 4, 5, 6]);
});
