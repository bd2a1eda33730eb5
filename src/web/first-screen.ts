// Opens the connection and reads the session before the first render, so that most pages are drawn once.
import { createApi } from "../kernel/client/api.ts";
import { pause } from "../kernel/client/backoff.ts";
import type { SessionStore } from "../kernel/client/sessions/store.ts";
import { PAGE_CREDENTIALS } from "./auth/login-proof.ts";
import type { Asked } from "./auth/use-auth.ts";
import { firstSession } from "./first-read.ts";
import { markdownLoaded } from "./markdown/lazy-markdown.tsx";
import { openPageFeed, type PageFeed } from "./page-feed.ts";

const DRAW_AFTER_MS = 300; // longer, and an empty page would look broken

let opened: PageFeed | null = null;

/** Resolves when it is time to draw; never rejects. */
export async function prepareFirstScreen(asked: Promise<Asked> | undefined): Promise<void> {
  const stop = new AbortController();
  const ready = prepare(asked).catch(() => undefined); // whoever asks again is told why
  await Promise.race([ready, pause(DRAW_AFTER_MS, stop.signal)]);
  stop.abort();
}

/** The opened connection, for its first user. */
export function takeOpened(): PageFeed | null {
  const taken = opened;
  opened = null;
  return taken;
}

async function prepare(asked: Promise<Asked> | undefined): Promise<void> {
  if ((await asked) === undefined) return; // a code was not exchanged yet
  const page = openPageFeed(createApi({ base: "", credentials: PAGE_CREDENTIALS }));
  opened = page;
  if (firstSession === null) return;
  await Promise.all([caughtUp(page.stores.acquire(firstSession)), markdownLoaded]);
  page.stores.release(firstSession);
}

function caughtUp({ getState, subscribe }: SessionStore): Promise<void> {
  return new Promise((resolve) => {
    const done = () => getState().caughtUp || getState().connection.state === "denied";
    const leave = subscribe(() => {
      if (!done()) return;
      leave();
      resolve();
    });
  });
}
