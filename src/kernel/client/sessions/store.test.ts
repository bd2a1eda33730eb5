import assert from "node:assert/strict";
import { test } from "node:test";
import { get } from "../../state/vector.ts";
import { emptyView, foldSession, openSession, type SessionView } from "./store.ts";
import type { Follower } from "../follow.ts";
import { startStreamServer, talk, until } from "../../../../test/browser/support/stream-server.ts";

const EVENTS = talk("s1", "r1", ["one ", "two ", "three ", "four"]);
const WHOLE = foldSession(emptyView("s1"), EVENTS);
const FAST = { minMs: 1, maxMs: 4 };

const textOf = (view: SessionView) => {
  const item = view.runs["r1"] && get(view.runs["r1"].items, 1);
  return item?.kind === "text" ? item.text : "";
};
const isWhole = (view: SessionView) => view.session.seq === EVENTS.length;
const foldOf = ({ session, runs }: SessionView) => ({ session, runs });

test("[V1] drops, overlaps and repeats end in the same state as an undisturbed stream", async () => {
  await using server = await startStreamServer([
    (stream) => {
      stream.events(EVENTS.slice(0, 4));
      stream.end();
    },
    (stream) => {
      stream.events(EVENTS.slice(2, 6)); // two the client already has
      stream.events(EVENTS.slice(4, 7)); // and again
      stream.end();
    },
    (stream, after) => stream.events(EVENTS.slice(after)),
  ]);
  const store = openSession("s1", { api: server.api, timing: FAST });

  await until(store, () => isWhole(store.getState()));
  store.close();
  await store.closed;

  assert.deepEqual(foldOf(store.getState()), foldOf(WHOLE));
  assert.equal(textOf(store.getState()), "one two three four");
  assert.deepEqual(server.requests, [
    "/api/sessions/s1/events?after_seq=0",
    "/api/sessions/s1/events?after_seq=4",
    "/api/sessions/s1/events?after_seq=7",
  ]);
});

test("[V1] a hole in the stream is read again, never shown", async () => {
  await using server = await startStreamServer([
    (stream) => {
      stream.events(EVENTS.slice(0, 3));
      stream.events(EVENTS.slice(5));
    },
    (stream, after) => stream.events(EVENTS.slice(after)),
  ]);
  const store = openSession("s1", { api: server.api, timing: FAST });

  await until(store, () => isWhole(store.getState()));
  store.close();

  assert.equal(textOf(store.getState()), "one two three four");
});

test("[D4] a cursor of another epoch starts from nothing and keeps the new epoch", async () => {
  const restored = talk("s1", "r2", ["other"]);
  await using server = await startStreamServer([
    (stream) => {
      stream.events(EVENTS.slice(0, 5));
      stream.heartbeat(5, "e1");
      stream.end();
    },
    (stream) =>
      stream.refuse(409, {
        code: "cursor_invalid",
        details: { epoch: "e2", head: restored.length },
      }),
    (stream) => {
      stream.events(restored);
      stream.heartbeat(restored.length, "e2");
      stream.end();
    },
    (stream) => stream.heartbeat(restored.length, "e2"),
  ]);
  const store = openSession("s1", { api: server.api, timing: FAST });

  await server.connections(4);
  await until(store, () => store.getState().connection.state === "live");
  store.close();

  assert.deepEqual(foldOf(store.getState()), foldOf(foldSession(emptyView("s1"), restored)));
  assert.deepEqual(server.requests.slice(1), [
    "/api/sessions/s1/events?after_seq=5&epoch=e1",
    "/api/sessions/s1/events?after_seq=0",
    `/api/sessions/s1/events?after_seq=${restored.length}&epoch=e2`,
  ]);
});

test("[D4] a heartbeat of another epoch on an open stream is a reset too", async () => {
  await using server = await startStreamServer([
    (stream) => {
      stream.events(EVENTS.slice(0, 4));
      stream.heartbeat(4, "e1");
      stream.heartbeat(9, "e2");
    },
    (stream, after) => stream.events(EVENTS.slice(after)),
  ]);
  const store = openSession("s1", { api: server.api, timing: FAST });

  await until(store, () => isWhole(store.getState()));
  store.close();

  assert.equal(server.requests[1], "/api/sessions/s1/events?after_seq=0");
});

test("[V4] silence is a dead connection: it is opened again from the cursor", async () => {
  await using server = await startStreamServer([
    (stream) => stream.events(EVENTS.slice(0, 6)), // and then nothing, for ever
    (stream, after) => stream.events(EVENTS.slice(after)),
  ]);
  const store = openSession("s1", { api: server.api, timing: { ...FAST, silenceMs: 60 } });

  await until(store, () => isWhole(store.getState()));
  store.close();

  assert.equal(server.requests[1], "/api/sessions/s1/events?after_seq=6");
});

test("[V1] caught up means everything up to the announced head, not the first event", async () => {
  await using server = await startStreamServer([
    (stream) => {
      stream.events(EVENTS.slice(0, 4));
      stream.heartbeat(EVENTS.length, "e1");
      stream.events(EVENTS.slice(4));
      stream.heartbeat(EVENTS.length, "e1");
    },
  ]);
  const store = openSession("s1", { api: server.api, timing: FAST });
  const early: boolean[] = [];
  store.subscribe(() => {
    if (!isWhole(store.getState())) early.push(store.getState().caughtUp);
  });

  await until(store, () => store.getState().caughtUp);
  store.close();

  assert.ok(isWhole(store.getState()));
  assert.ok(!early.includes(true));
});

test("[S2] events a view already has leave it as it is, so nothing is drawn again", () => {
  assert.equal(foldSession(WHOLE, EVENTS.slice(3)), WHOLE);
});

test("[S2] while the history arrives, listeners are called seldom and the state is current all the same", () => {
  let follower: Follower | undefined;
  const ends = { rest() {}, wake() {}, close() {}, retryNow() {}, closed: Promise.resolve() };
  const store = openSession("s1", {
    api: { events: () => assert.fail("no stream of its own") },
    emitEvery: 4,
    follow: (_, asked) => {
      follower = asked;
      return ends;
    },
  });
  assert.ok(follower);
  const emitted: number[] = [];
  store.subscribe(() => emitted.push(store.getState().session.seq));
  const status = { state: "live", failure: null, lastFrameAt: 1 } as const;
  for (const event of EVENTS.slice(0, 6)) {
    follower.apply([event]);
    assert.equal(store.getState().session.seq, event.session_seq);
  }
  assert.deepEqual(emitted, [4]);
  follower.onStatus(status);
  follower.reset();
  assert.deepEqual(emitted, [4, 6, 0], "a status and a new beginning are told at once");
  for (const event of EVENTS.slice(0, 5)) follower.apply([event]);
  follower.caughtUp();
  assert.deepEqual(emitted.slice(3), [4, 5], "and so is the end of the past");
  for (const event of EVENTS.slice(5, 8)) follower.apply([event]);
  assert.deepEqual(emitted.slice(5), [6, 7, 8], "what happens now is told as it happens");
});
