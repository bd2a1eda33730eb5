// One connection under many stores: whatever goes wrong with one session, the others do not notice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { honest, startFeedServer, stateOf } from "../../../test/browser/support/feed-server.ts";
import { talk, until } from "../../../test/browser/support/stream-server.ts";
import { until as eventually } from "../../../test/support/until.ts";
import type { RunEvent } from "../events/events.ts";
import { ApiFailure } from "./api-failure.ts";
import { feedSocket, type OpenFeedSocket } from "./feed-socket.ts";
import { openFeed } from "./feed.ts";
import { emptyView, foldSession, openSession, type SessionStore } from "./sessions/store.ts";

const ONE = talk("s1", "r1", ["one ", "two ", "three ", "four"]);
const TWO = talk("s2", "r2", ["un ", "deux ", "trois"]);
const FAST = { minMs: 1, maxMs: 4, silenceMs: 60_000, answerMs: 30 };
const api = { events: () => assert.fail("no stream of its own") };

function place(open: OpenFeedSocket) {
  const feed = openFeed({ open, timing: FAST, random: () => 0 });
  const session = (sessionId: string) => openSession(sessionId, { api, follow: feed.follow });
  const close = async () => {
    feed.close();
    await feed.closed;
  };
  return { feed, session, [Symbol.asyncDispose]: close };
}

const hasAll = (store: SessionStore, events: readonly RunEvent[]) =>
  until(store, () => store.getState().session.seq === events.length && store.getState().caughtUp);
const foldOf = ({ getState }: SessionStore) => ({
  session: getState().session,
  runs: getState().runs,
});
const whole = (id: string, events: readonly RunEvent[]) => {
  const { session, runs } = foldSession(emptyView(id), events);
  return { session, runs };
};

test("[L1, V1] sessions share a connection, and each goes on from its own cursor after a drop", async () => {
  await using server = await startFeedServer({
    s1: [
      (tab, watch) => {
        tab.watching(watch);
        tab.lines([...ONE.slice(0, 3), ...TWO.slice(0, 2), ...ONE.slice(3, 5)]); // two is not confirmed
      },
      honest(ONE),
    ],
    s2: [
      (tab, watch) => {
        tab.watching(watch);
        tab.lines([TWO[0] as RunEvent, ONE[5] as RunEvent, ...TWO.slice(0, 3)]);
        tab.drop();
      },
      honest(TWO),
    ],
  });
  await using tab = place(server.open);
  const [two, one] = [tab.session("s2"), tab.session("s1")]; // the newest is asked for first
  await hasAll(one, ONE);
  await hasAll(two, TWO);
  assert.deepEqual(foldOf(one), whole("s1", ONE));
  assert.deepEqual(foldOf(two), whole("s2", TWO));
  assert.deepEqual(
    [server.watches("s1"), server.watches("s2")].map((asked) => asked.map(({ after }) => after)),
    [
      [0, 6],
      [0, 3],
    ],
  );
  assert.equal(server.tabs.length, 2);
  assert.deepEqual(
    [one, two].flatMap(({ getDrift }) => getDrift()),
    [],
  );
});

test("[L2b] what still comes of an older watch is for nobody", async () => {
  await using server = await startFeedServer({
    s1: [
      (tab, watch) => {
        tab.watching(watch);
        tab.lines([ONE[0] as RunEvent, ...ONE.slice(3, 5)]); // a hole
      },
      (tab, watch) => {
        tab.lines([...ONE.slice(1, 4), { feed: "caught_up", session_id: "s1", session_seq: 4 }]);
        honest(ONE)(tab, watch);
      },
    ],
  });
  await using tab = place(server.open);
  const store = tab.session("s1");
  await hasAll(store, ONE);
  assert.deepEqual(
    server.watches("s1").map(({ after }) => after),
    [0, 1],
  );
  assert.deepEqual(foldOf(store), whole("s1", ONE));
});

test("[L3] a refused session is denied, the others are live, and it is asked again when someone says so", async () => {
  await using server = await startFeedServer({
    s1: [
      (tab, watch) => tab.refuse(watch, { code: "session_not_found", status: 404 }),
      honest(ONE),
    ],
    s2: [honest(TWO)],
  });
  await using tab = place(server.open);
  const [one, two] = [tab.session("s1"), tab.session("s2")];
  await hasAll(two, TWO);
  await until(one, () => one.getState().connection.state === "denied");
  assert.equal(one.getState().connection.failure?.status, 404);
  assert.equal(two.getState().connection.state, "live");
  tab.feed.retryNow();
  await hasAll(one, ONE);
  await until(one, () => one.getState().connection.state === "live");
  assert.equal(server.watches("s2").length, 1);
});

test("[D4] another epoch starts every session from nothing, by a refusal or by a heartbeat", async () => {
  const restored = talk("s1", "r9", ["other"]);
  await using server = await startFeedServer({
    s1: [
      honest(ONE),
      (tab, watch) =>
        tab.refuse(watch, {
          code: "cursor_invalid",
          status: 409,
          details: { epoch: "e2", head: 4 },
        }),
      honest(restored),
    ],
    s2: [honest(TWO)],
  });
  await using tab = place(server.open);
  const [one, two] = [tab.session("s1"), tab.session("s2")];
  await hasAll(one, ONE);
  await hasAll(two, TWO);
  server.tabs[0]?.drop();
  await hasAll(one, restored);
  assert.deepEqual(foldOf(one), whole("s1", restored));
  const asked = server.watches("s1").map(({ after, epoch }) => [after, epoch]);
  assert.deepEqual(asked, [
    [0, undefined],
    [ONE.length, "e1"],
    [0, undefined],
  ]);

  const before = server.watches("s2").length;
  server.tabs[1]?.heartbeat("e3");
  await until(two, () => two.getState().session.seq === 0);
  await hasAll(two, TWO);
  assert.deepEqual(
    server
      .watches("s2")
      .slice(before)
      .map(({ after }) => after),
    [0],
  );
});

test("[V1] events that contradict each other are asked for again, of that session alone", async () => {
  const wrong = ONE.map((event) => (event.session_seq === 6 ? { ...event, seq: 9 } : event));
  await using server = await startFeedServer({
    s1: [honest(wrong), honest(ONE)].map((play, at) => (tab, watch) => {
      if (at === 1) return play(tab, watch);
      tab.watching(watch);
      tab.lines(wrong);
    }),
    s2: [honest(TWO)],
  });
  await using tab = place(server.open);
  const [one, two] = [tab.session("s1"), tab.session("s2")];
  await hasAll(one, ONE);
  await hasAll(two, TWO);
  assert.deepEqual(foldOf(one), whole("s1", ONE));
  assert.deepEqual([server.watches("s2").length, server.tabs.length], [1, 1]);
});

test("[L2] a session at rest is not told, and goes on where it was when it wakes", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE.slice(0, 5)), honest(ONE)] });
  await using tab = place(server.open);
  const store = tab.session("s1");
  await hasAll(store, ONE.slice(0, 5));
  store.rest();
  store.wake();
  await hasAll(store, ONE);
  assert.deepEqual(
    server.requests.map(({ type }) => type),
    ["watch", "unwatch", "watch"],
  );
  assert.equal(server.watches("s1")[1]?.after, 5);
  store.close();
  await store.closed;
});

test("[L7, V4] a socket that only looks alive is found out when someone asks", async () => {
  let answers = true;
  await using server = await startFeedServer({ s1: [honest(ONE)] }, { answers: () => answers });
  await using tab = place(server.open);
  const store = tab.session("s1");
  await hasAll(store, ONE);
  const state = () => tab.feed.getStatus().state;
  await until(tab.feed, () => state() === "live");
  tab.feed.retryNow(); // answered: nothing happens
  await eventually(() => server.requests.some(({ type }) => type === "ping"), "the question");
  assert.equal(server.tabs.length, 1);
  answers = false;
  tab.feed.retryNow();
  await until(tab.feed, () => state() !== "live");
  await until(store, () => store.getState().connection.state === "live");
  assert.equal(server.tabs.length, 2);
  assert.deepEqual(
    server.watches("s1").map(({ after }) => after),
    [0, ONE.length],
  );
});

test("[S, V5] a handshake that fails is explained by asking: logged out is denied, away is away", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  let problem: Error | undefined = new ApiFailure({
    code: "unauthorized",
    message: "",
    status: 401,
  });
  let port = 9; // nobody is there
  const refused = feedSocket({
    connect: () => new WebSocket(`ws://127.0.0.1:${port}/`),
    probe: async () => {
      if (problem) throw problem;
    },
  });
  await using tab = place((signal) => (port === 9 ? refused(signal) : server.open(signal)));
  const store = tab.session("s1");
  await until(store, () => store.getState().connection.state === "denied");
  assert.equal(store.getState().connection.failure?.status, 401);
  problem = undefined;
  tab.feed.retryNow();
  await until(store, () => store.getState().connection.state === "offline");
  port = 0;
  await hasAll(store, ONE);
  assert.equal(store.getState().connection.state, "live");
  assert.throws(() => tab.session("s1"), /followed already/);
});

test("[V5] a question that is never answered does not hold the feed", async () => {
  const signals: AbortSignal[] = [];
  await using server = await startFeedServer({ s1: [honest(ONE)] });
  const hanging = feedSocket({
    connect: () => new WebSocket("ws://127.0.0.1:9/"), // nobody is there
    probe: (signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  });
  let away = true;
  const open: OpenFeedSocket = (signal) => (away ? hanging(signal) : server.open(signal));
  const feed = openFeed({ open, timing: { ...FAST, silenceMs: 40 }, random: () => 0 });
  const store = openSession("s1", { api, follow: feed.follow });
  await until(feed, () => feed.getStatus().state === "offline");
  assert.ok(signals.length >= 2 && signals[0]?.aborted);
  away = false;
  await hasAll(store, ONE);
  away = true;
  server.tabs[0]?.drop();
  const before = signals.length;
  await eventually(() => signals.length > before, "the question");
  feed.close();
  await feed.closed;
});

test("[L4] a state that cannot be compared disturbs nobody", async () => {
  await using server = await startFeedServer({ s1: [honest(ONE)], s2: [honest(TWO)] });
  await using tab = place(server.open);
  let asked = 0;
  tab.feed.follow("s1", {
    cursor: () => 0,
    apply: () => {},
    begin: () => {},
    missing: () => 0,
    renew: () => {},
    reset: () => {},
    caughtUp: () => {},
    onStatus: () => {},
    agrees: () => {
      asked += 1;
      throw new RangeError("Maximum call stack size exceeded");
    },
  });
  await hasAll(tab.session("s2"), TWO);
  await eventually(() => asked === 1, "the comparison");
  tab.feed.retryNow();
  await eventually(() => server.requests.some(({ type }) => type === "ping"), "the question");
  assert.deepEqual([server.tabs.length, server.watches("s1").length], [1, 1]);
  await eventually(() => tab.feed.getStatus().state === "live", "the answer");
});

for (const other of [{ reducer: 0 }, { hash_version: 0 }])
  test(`[L4] a state of another version says nothing: ${Object.keys(other).join()}`, async () => {
    const state = { ...stateOf(ONE), hash: "of another fold", ...other };
    await using server = await startFeedServer({
      s1: [
        (tab, watch) => {
          tab.watching(watch);
          tab.lines([...ONE, { feed: "caught_up", session_id: "s1", session_seq: 9 }, state]);
          tab.lines([{ feed: "hologram" } as never]); // of a newer server
        },
      ],
    });
    await using tab = place(server.open);
    const store = tab.session("s1");
    await hasAll(store, ONE);
    tab.feed.retryNow();
    await eventually(() => server.requests.some(({ type }) => type === "ping"), "the question");
    assert.deepEqual([store.getDrift(), server.watches("s1").length], [[], 1]);
  });
