// The tab's only connection with the session list and the open sessions. Created once per login.
import type { Api } from "../kernel/client/api.ts";
import { createSessionList, type SessionList } from "../kernel/client/sessions/list.ts";
import { feedSocket } from "../kernel/client/feed-socket.ts";
import { openFeed, type Feed } from "../kernel/client/feed.ts";
import { openSession, type SessionStore } from "../kernel/client/sessions/store.ts";
import { createSessionCache, type SessionCache } from "../kernel/client/sessions/cache.ts";
import { openSocket } from "./auth/login-proof.ts";
import { historyOf } from "./first-read.ts";
import { oncePerFrame, whenIdle } from "./frames.ts";
import { watchStorage, type StorageAway } from "./storage-away.ts";

export type PageFeed = {
  readonly feed: Feed;
  readonly board: SessionList;
  readonly stores: SessionCache;
  readonly storage: StorageAway;
  readonly close: () => void;
};

// A local server is back within a second, so longer waits would be our own delay (V5).
const TIMING = { maxMs: 1_500 };
const CHECK_MS = 5_000; // a server on this machine is there without a network, so "offline" alone says nothing
const EMIT_EVERY = 5_000; // events of a long past: most sessions are drawn once, when they are here
const REST_MS = 60_000; // hidden for so long, a tab follows only what it shows

export function openPageFeed(api: Api): PageFeed {
  const board = createSessionList(oncePerFrame);
  const { open, storage } = watchStorage(
    feedSocket({ connect: () => openSocket("/api/feed?board=1"), probe: api.authSession }),
  );
  const feed = openFeed({
    open,
    past: historyOf,
    onSessionList: board.merge,
    whenIdle,
    timing: TIMING,
  });
  const stores = createSessionCache((sessionId) => {
    const store = openSession(sessionId, {
      api,
      follow: feed.follow,
      schedule: oncePerFrame,
      emitEvery: EMIT_EVERY,
    });
    reportDrift(store);
    return store;
  });
  const unlisten = listenForHints({ feed, stores });
  const close = () => {
    unlisten();
    stores.close();
    feed.close();
  };
  return { feed, board, stores, storage, close };
}

/** Passes on browser events about network and visibility. Each can be wrong. */
function listenForHints({ feed, stores }: Pick<PageFeed, "feed" | "stores">): () => void {
  let resting: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(resting);
    if (document.visibilityState === "hidden") {
      resting = setTimeout(stores.rest, REST_MS);
      return;
    }
    stores.wake();
    feed.retryNow();
  };
  // Checks repeatedly, because data in flight can look like an answer.
  const checking = setInterval(() => {
    if (!navigator.onLine) feed.check();
  }, CHECK_MS);
  const stop = new AbortController();
  const { signal } = stop;
  window.addEventListener("offline", feed.check, { signal });
  for (const hint of ["online", "pageshow"]) {
    window.addEventListener(hint, feed.retryNow, { signal });
  }
  document.addEventListener("visibilitychange", look, { signal });
  look();
  return () => {
    clearTimeout(resting);
    clearInterval(checking);
    stop.abort();
  };
}

/** Logs a drift, which should never happen, for whoever investigates it. */
function reportDrift({ sessionId, getDrift, subscribe }: SessionStore): void {
  let emitted = 0;
  subscribe(() => {
    for (const drift of getDrift().slice(emitted)) {
      // oxlint-disable-next-line no-console -- a mistake of ours that nobody would otherwise report
      console.warn(`Session ${sessionId} was not as the journal has it; reading it again.`, drift);
    }
    emitted = getDrift().length;
  });
}
