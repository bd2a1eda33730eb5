import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiFailure } from "./api-failure.ts";
import { delayOf } from "./backoff.ts";
import { feedSocket, type FeedLine } from "./feed-socket.ts";
import { startConnection, type ConnectionOptions, type ConnectionStatus } from "./connection.ts";
import type { Api } from "./api.ts";
import { createListeners } from "./listeners.ts";
import { sseFrames, type Frame } from "./event-feed.ts";
import { startStreamServer, until } from "../../../test/browser/support/stream-server.ts";
import { areCollected } from "../../../test/support/collected.ts";
import { until as eventually } from "../../../test/support/until.ts";

const FAST = { minMs: 1, maxMs: 4, silenceMs: 200 };

const opened = async (api: Api, signal: AbortSignal) =>
  sseFrames(await api.events("/api/x", signal));
type Options = ConnectionOptions<Frame>;
const NOBODY = {
  onFrames: () => {},
  onFailure: () => false,
  onStatus: () => {},
  random: () => 0,
  timing: FAST,
};

function watch(options: Pick<Options, "open" | "signal"> & Partial<Options>) {
  const states: ConnectionStatus[] = [];
  const listeners = createListeners((flush) => flush());
  const connection = startConnection({
    onFrames: () => {},
    onFailure: () => false,
    random: () => 0,
    timing: FAST,
    ...options,
    onStatus: (status) => {
      states.push(status);
      listeners.notify();
    },
  });
  return { connection, states, subscribe: listeners.subscribe };
}

test("[V4] the delay doubles up to its cap and never leaves its jitter", () => {
  const backoff = { minMs: 250, maxMs: 5_000 };
  const longest = [1, 2, 3, 4, 5, 6, 50].map((attempt) => delayOf(backoff, attempt, () => 1));
  assert.deepEqual(longest, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  assert.equal(
    delayOf(backoff, 1, () => 0),
    125,
  );
});

test("[V5] a server that is away is reconnecting, then offline, then live without a reload", async () => {
  const failures = [1, 2, 3, 4];
  await using server = await startStreamServer([(stream) => stream.heartbeat(0, "e1")]);
  const stop = new AbortController();
  const watched = watch({
    signal: stop.signal,
    open: (signal) => {
      if (failures.shift()) throw new TypeError("fetch failed");
      return opened(server.api, signal);
    },
  });

  await until(watched, () => watched.states.at(-1)?.state === "live");
  stop.abort();
  await watched.connection.closed;

  assert.deepEqual(
    watched.states.map(({ state }) => state),
    ["reconnecting", "reconnecting", "offline", "offline", "live"],
  );
});

test("[S] a refusal is not asked again until someone says so", async () => {
  await using server = await startStreamServer([
    (stream) => stream.refuse(401, { code: "unauthorized" }),
    (stream) => stream.heartbeat(0, "e1"),
  ]);
  const stop = new AbortController();
  const watched = watch({
    signal: stop.signal,
    open: (signal) => opened(server.api, signal),
  });

  await until(watched, () => watched.states.at(-1)?.state === "denied");
  assert.equal(watched.states.at(-1)?.failure?.code, "unauthorized");
  assert.equal(server.requests.length, 1);
  watched.connection.retryNow();
  await until(watched, () => watched.states.at(-1)?.state === "live");
  stop.abort();
  await watched.connection.closed;
});

test("[V1] text cut in the middle of a character and a frame arrives whole", async () => {
  const bytes = Buffer.from('data: {"text":"naïve ⛵"}\n\n');
  const seen: string[] = [];
  const stop = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const watched = watch({
    signal: stop.signal,
    open: () => Promise.resolve(sseFrames(new Response(body))),
    onFrames: (frames) => {
      seen.push(...frames.map(({ data }) => data));
      stop.abort();
    },
  });

  await watched.connection.closed;

  assert.deepEqual(seen, ['{"text":"naïve ⛵"}']);
});

test("[S] what the server refuses carries its code, and what is no answer carries none", async () => {
  await using server = await startStreamServer([
    (stream) => stream.refuse(404, { code: "session_not_found" }),
    (stream) => {
      stream.raw("not json");
      stream.end();
    },
    (stream) => stream.drop(),
  ]);
  const failure = () =>
    server.api.status().then(
      () => assert.fail("should fail"),
      (error: unknown) => error as ApiFailure,
    );
  assert.deepEqual(await failure().then(({ code, retryable }) => ({ code, retryable })), {
    code: "session_not_found",
    retryable: false,
  });
  assert.equal((await failure()).code, "bad_response");
  const lost = await failure();
  assert.ok(lost instanceof ApiFailure && lost.retryable && lost.status === 0);
});

test("[V4] asking again and again gives nobody more time to answer", async () => {
  await using server = await startStreamServer([(stream) => stream.heartbeat(0, "e1")]);
  const stop = new AbortController();
  let asked = 0;
  const watched = watch({
    signal: stop.signal,
    open: (signal) => opened(server.api, signal),
    ask: () => void (asked += 1),
    timing: { ...FAST, silenceMs: 60_000, answerMs: 80 },
  });
  await until(watched, () => watched.states.at(-1)?.state === "live");
  const asking = setInterval(() => watched.connection.check(), 10);
  await until(watched, () => watched.states.at(-1)?.state === "reconnecting");
  clearInterval(asking);
  assert.ok(asked > 1);
  stop.abort();
  await watched.connection.closed;
});

test("[B1, V5] of attempts that failed nothing is held: a page may be without its server for days", async (t) => {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const signals: WeakRef<AbortSignal>[] = [];
  const open = feedSocket({
    connect: () => new WebSocket("ws://127.0.0.1:1/api/feed"), // where nobody listens
    probe: () => Promise.reject(new TypeError("fetch failed")),
  });
  const connection = startConnection<FeedLine>({
    ...NOBODY,
    signal: stop.signal,
    open: (signal) => {
      signals.push(new WeakRef(signal));
      return open(signal);
    },
  });
  await eventually(() => signals.length > 20, "many attempts");
  await areCollected(signals.slice(0, 20), "the first attempts");
  stop.abort();
  await connection.closed;
});
