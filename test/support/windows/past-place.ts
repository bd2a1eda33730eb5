// A tab that reads the history of one session with the faster request, and a feed for that session.
import assert from "node:assert/strict";
import type { FeedLine, OpenFeedSocket } from "../../../src/kernel/client/feed-socket.ts";
import { openFeed } from "../../../src/kernel/client/feed.ts";
import type { ReadHistory } from "../../../src/kernel/client/history.ts";
import {
  emptyView,
  foldSession,
  openSession,
  type SessionStore,
} from "../../../src/kernel/client/sessions/store.ts";
import type { FeedFrame } from "../../../src/kernel/api/records/feed.ts";
import { talk, until } from "../../browser/support/stream-server.ts";

export const ONE = talk("s1", "r1", ["one ", "zwei — ", "three 🙂 ", "four"]);
const FAST = { minMs: 1, maxMs: 4, silenceMs: 60_000, answerMs: 60_000 };
const api = { events: () => assert.fail("no stream of its own") };
export const beat = (epoch = "e1"): FeedFrame => ({ feed: "heartbeat", epoch, at: 0 });
export const END: FeedFrame = { feed: "caught_up", session_id: "s1", session_seq: ONE.length };

type Options = {
  readonly open: OpenFeedSocket;
  readonly past: ReadHistory;
  readonly answerMs?: number;
};

export function place({ open, past, answerMs = FAST.answerMs }: Options) {
  const feed = openFeed({ open, past, timing: { ...FAST, answerMs }, random: () => 0 });
  const session = (sessionId: string) => openSession(sessionId, { api, follow: feed.follow });
  const close = async () => {
    feed.close();
    await feed.closed;
  };
  return { feed, session, [Symbol.asyncDispose]: close };
}

/** Batches, then a failure where one is given. */
export const emitted = (batches: readonly (readonly FeedLine[])[], failure?: Error): ReadHistory =>
  async function* past() {
    yield* batches;
    if (failure) throw failure;
  };

export async function isWhole(store: SessionStore): Promise<void> {
  await until(store, () => store.getState().connection.state === "live");
  await until(store, () => store.getState().session.seq === ONE.length);
  await until(store, () => store.getState().caughtUp);
  const { session, runs } = store.getState();
  const whole = foldSession(emptyView("s1"), ONE);
  assert.deepEqual({ session, runs }, { session: whole.session, runs: whole.runs });
  assert.deepEqual(store.getDrift(), []);
}
