// A window that shows something else than the journal has: it finds out, repairs itself without a blank
// moment, and remembers.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  honest,
  startFeedServer,
  stateOf,
  type WatchScript,
} from "../../../test/browser/support/feed-server.ts";
import { talk, until } from "../../../test/browser/support/stream-server.ts";
import { until as eventually } from "../../../test/support/until.ts";
import type { RunEvent } from "../events/events.ts";
import { get } from "../state/vector.ts";
import { createDrifts, openSession, type SessionStore } from "./sessions/store.ts";
import { openFeed } from "./feed.ts";

const EVENTS = talk("s1", "r1", ["one ", "two ", "three ", "four"]);
const NEXT = talk("s1", "r1", ["one ", "two ", "three ", "four", " five"]);
const api = { events: () => assert.fail("no stream of its own") };
const textOf = (store: SessionStore) => {
  const run = store.getState().runs["r1"];
  const item = run && get(run.items, 1);
  return item?.kind === "text" ? item.text : "";
};

/** Tells these events and claims the state of those. */
const claiming =
  (emitted: readonly RunEvent[], claimed: readonly RunEvent[]): WatchScript =>
  (tab, watch) => {
    tab.watching(watch);
    const caught = { feed: "caught_up", session_id: "s1", session_seq: emitted.length } as const;
    tab.lines([...emitted.slice(watch.after), caught, stateOf(claimed)]);
  };

/** What a hostile or broken way between journal and window could do to the fifth event. */
const PLANTED: Record<string, (events: readonly RunEvent[]) => RunEvent[]> = {
  altered: (events) =>
    events.map((event) =>
      event.type === "token.delta" && event.session_seq === 5
        ? { ...event, payload: { ...event.payload, delta: "ONE " } }
        : event,
    ),
  "dropped, the rest renumbered": (events) =>
    events
      .filter(({ session_seq }) => session_seq !== 5)
      .map((event, index) =>
        index < 4 ? event : { ...event, session_seq: index + 1, seq: event.seq - 1 },
      ),
  "told twice, the rest renumbered": (events) =>
    [...events.slice(0, 5), ...events.slice(4)].map((event, index) =>
      index < 5 ? event : { ...event, session_seq: index + 1, seq: event.seq + 1 },
    ),
};

for (const [what, plant] of Object.entries(PLANTED)) {
  test(`[L5, V1] an event that was ${what} is noticed and repaired, without a blank moment`, async () => {
    const wrong = plant(EVENTS);
    await using server = await startFeedServer({
      s1: [claiming(wrong, EVENTS), honest(EVENTS)],
    });
    const feed = openFeed({ open: server.open });
    const store = openSession("s1", { api, follow: feed.follow });
    const shown: string[] = [];
    const seqs: number[] = [];
    let begun = false;
    store.subscribe(() => {
      begun ||= store.getState().caughtUp;
      if (!begun) return;
      shown.push(textOf(store));
      seqs.push(store.getState().session.seq);
    });
    await until(store, () => store.getDrift()[0]?.repaired === true);
    assert.equal(textOf(store), "one two three four");
    assert.ok(
      shown.every((text) => text !== ""),
      "never blank",
    );
    assert.ok(
      seqs.every((seq) => seq >= wrong.length - 1),
      `never shorter: ${seqs.join(" ")}`,
    );
    assert.deepEqual(
      server.watches("s1").map(({ after }) => after),
      [0, 0],
    );
    const [drift, ...more] = store.getDrift();
    assert.deepEqual(more, []);
    assert.deepEqual([drift?.theirs, drift?.sessionSeq], [stateOf(EVENTS).hash, EVENTS.length]);
    assert.notEqual(drift?.ours, drift?.theirs);
    assert.equal(store.recording.length, EVENTS.length);
    feed.close();
    await feed.closed;
  });
}

test("[L5] an end that never came is noticed too", async () => {
  await using server = await startFeedServer({ s1: [claiming(EVENTS, NEXT), honest(NEXT)] });
  const feed = openFeed({ open: server.open });
  const store = openSession("s1", { api, follow: feed.follow });
  await until(store, () => store.getDrift()[0]?.repaired === true);
  assert.equal(textOf(store), "one two three four five");
  feed.close();
  await feed.closed;
});

test("[L5] a repair that is cut off goes on, and what happens meanwhile is part of it", async () => {
  const wrong = PLANTED["altered"]?.(EVENTS) ?? [];
  await using server = await startFeedServer({
    s1: [
      claiming(wrong, EVENTS),
      (tab, watch) => {
        tab.watching(watch);
        tab.lines(NEXT.slice(0, 4));
        tab.drop();
      },
      honest(NEXT),
    ],
  });
  const feed = openFeed({ open: server.open, timing: { minMs: 1, maxMs: 4 } });
  const store = openSession("s1", { api, follow: feed.follow });
  await until(store, () => store.getDrift()[0]?.repaired === true);
  assert.equal(textOf(store), "one two three four five");
  assert.deepEqual(
    server.watches("s1").map(({ after }) => after),
    [0, 0, 4],
  );
  feed.close();
  await feed.closed;
});

test("[L2, L5] what is still on its way of the watch before does not end up in the repair", async () => {
  const wrong = PLANTED["altered"]?.(EVENTS) ?? [];
  const caught = { feed: "caught_up", session_id: "s1", session_seq: EVENTS.length } as const;
  const late = NEXT.slice(-1);
  let first = 0;
  await using server = await startFeedServer({
    s1: [
      (tab, watch) => {
        first = watch.mark;
        claiming(wrong, EVENTS)(tab, watch);
      },
      (tab, watch) => {
        tab.lines([...late, caught, stateOf(NEXT)]);
        tab.watching({ ...watch, mark: first });
        tab.lines([...late, caught]);
        honest(EVENTS)(tab, watch);
      },
    ],
  });
  const feed = openFeed({ open: server.open });
  const store = openSession("s1", { api, follow: feed.follow });
  const shown: string[] = [];
  store.subscribe(() => store.getState().caughtUp && shown.push(textOf(store)));
  await until(store, () => store.getDrift()[0]?.repaired === true);
  assert.ok(
    shown.every((text) => text !== ""),
    "never blank",
  );
  feed.retryNow();
  await eventually(() => server.requests.some(({ type }) => type === "ping"), "all requests");
  assert.deepEqual([server.watches("s1").length, store.getDrift().length], [2, 1]);
  assert.equal(textOf(store), "one two three four");
  feed.close();
  await feed.closed;
});

test("[L5a] a difference that reading again does not cure is not read again and again", async () => {
  await using server = await startFeedServer({
    s1: [claiming(EVENTS, NEXT.slice(0, EVENTS.length))],
  });
  const feed = openFeed({ open: server.open });
  const store = openSession("s1", { api, follow: feed.follow });
  await eventually(() => server.watches("s1").length === 2, "the repair");
  await until(store, () => store.getState().caughtUp);
  const claims = stateOf(NEXT.slice(0, EVENTS.length));
  for (let round = 0; round < 5; round += 1) server.tabs[0]?.lines([claims]);
  feed.retryNow();
  await eventually(() => server.requests.some(({ type }) => type === "ping"), "the question");
  assert.deepEqual([server.watches("s1").length, store.getDrift().length], [2, 1]);
  assert.equal(store.getDrift()[0]?.repaired, false);
  feed.close();
  await feed.closed;
});

test("[L5] after a while it is tried once more, and only the newest are kept", () => {
  let now = 0;
  const drifts = createDrifts(() => now);
  const state = stateOf(EVENTS);
  assert.equal(
    drifts.compare(state, () => "other"),
    "drifted",
  );
  now = 299_999;
  assert.equal(
    drifts.compare(state, () => "other"),
    "same",
  );
  now = 300_000;
  assert.equal(
    drifts.compare(state, () => "other"),
    "drifted",
  );
  assert.equal(
    drifts.compare(state, () => state.hash),
    "changed",
  );
  assert.equal(
    drifts.compare(state, () => state.hash),
    "same",
  );
  assert.deepEqual(
    drifts.all().map(({ repaired }) => repaired),
    [false, true],
  );
  for (let round = 0; round < 30; round += 1) {
    drifts.compare(state, () => "other");
    drifts.compare(state, () => state.hash);
  }
  assert.equal(drifts.all().length, 20);
});
