// Follows one conversation: folds its session's events and brings the messenger to what they say. Begins where
// everything was told to its end, so a gateway that died anywhere in between is simply begun again.
import { setTimeout as delay } from "node:timers/promises";
import type { Conversation } from "../store/messengers.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import {
  advanceMessenger,
  emptyMessenger,
  forgetEnded,
  isSettled,
  messengerPosts,
  type MessengerPost,
  type MessengerState,
} from "../state.ts";
import { splitBlocks } from "../split.ts";
import { problemOf } from "./adapter.ts";
import { LeaseLost, posting, type Desk, type Posting } from "./posting.ts";

const PAGE = 500;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export type Follower = {
  /** Something may have happened. */
  wake(): void;
  /** Settles when everything was told, or when there is nobody to tell it to. */
  readonly done: Promise<void>;
};

export function follow(
  desk: Omit<Desk, "channelId">,
  conversation: Conversation,
  signal: AbortSignal,
): Follower {
  const bell = wakeable();
  const view: View = {
    desk: { ...desk, channelId: conversation.channel_id },
    sessionId: conversation.session_id,
    state: emptyMessenger(conversation.told_seq),
    posts: posting({ ...desk, channelId: conversation.channel_id }),
    pieces: new Map(),
  };
  return { wake: bell.ring, done: emitAll(view, bell, signal) };
}

type View = {
  readonly desk: Desk;
  readonly sessionId: string;
  readonly state: MessengerState;
  readonly posts: Posting;
  readonly pieces: Map<string, number>; // how many messages a post has there, at most
};

async function emitAll(view: View, bell: Bell, signal: AbortSignal): Promise<void> {
  const { desk, sessionId, state } = view;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const heard = bell.count();
    let wait: number | undefined;
    try {
      await readNew(view);
      if (!(await isWanted(view))) return await desk.store.deliveredUpTo(sessionId, state.seq);
      wait = await showAll(view);
      pause = FIRST_PAUSE_MS;
    } catch (error) {
      if (error instanceof LeaseLost) return;
      const problem = problemOf(error);
      if (problem.kind === "unauthorized" || problem.kind === "conflict") throw problem;
      if (problem.kind === "internal") desk.logError(`${sessionId} cannot be shown`, error);
      await delay(problem.retryMs ?? pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      continue; // what came meanwhile is told together with it
    }
    if (wait === 0 && isSettled(state)) {
      await desk.store.deliveredUpTo(sessionId, state.seq);
      forgetEnded(state);
      if (bell.count() === heard) return;
    }
    await bell.rung(heard, wait || undefined, signal);
  }
}

async function readNew({ desk, sessionId, state }: View): Promise<void> {
  for (;;) {
    const page = await desk.journal.readSession(sessionId, state.seq, PAGE);
    if (!page || page.rows.length === 0) return;
    for (const [, , body] of page.rows) advanceMessenger(state, JSON.parse(body) as RunEvent);
    if (state.seq >= page.head) return;
  }
}

/** Whoever was revoked hears nothing more, also not of what is running. */
async function isWanted({ desk, sessionId }: View): Promise<boolean> {
  const { store, platform } = desk;
  const now = await store.conversation(sessionId);
  return now !== undefined && store.isGatewayUser(platform, now.last_user_id);
}

/** Milliseconds until something may be edited again; 0 when everything is shown. */
async function showAll(view: View): Promise<number> {
  const { desk, state } = view;
  let soonest = 0;
  for (const post of messengerPosts(state, desk.platform)) {
    const wait = await showPost(view, post);
    if (wait > 0) soonest = soonest === 0 ? wait : Math.min(soonest, wait);
  }
  return soonest;
}

async function showPost(view: View, post: MessengerPost): Promise<number> {
  const { desk, posts, pieces } = view;
  if (post.picture) return desk.adapter.sendFile ? posts.show(post) : 0;
  const parts = splitBlocks(post.blocks, desk.adapter.limits.length);
  const before = pieces.get(post.part) ?? (await piecesBefore(desk, post.part));
  pieces.set(post.part, Math.max(before, parts.length));
  let wait = 0;
  for (const [index, blocks] of parts.entries()) {
    const isLast = index === parts.length - 1;
    wait = await posts.show({
      part: nameOf(post.part, index),
      runId: post.runId,
      blocks,
      ask: isLast ? post.ask : null,
      final: post.final || !isLast,
    });
    if (wait > 0) break; // the next piece comes after this one
  }
  // From the end: whoever comes after us counts up to the first that is not there.
  for (let index = before - 1; index >= parts.length; index--) {
    await posts.withdraw(nameOf(post.part, index));
    pieces.set(post.part, index);
  }
  return wait;
}

/** A gateway before us may have shown more of it than there is now. */
async function piecesBefore({ store, platform, channelId }: Desk, part: string): Promise<number> {
  let count = 0;
  while (await store.gatewayPostOf(platform, channelId, nameOf(part, count))) count += 1;
  return count;
}

export function nameOf(part: string, index: number): string {
  return index === 0 ? part : `${part}/${index}`;
}

type Bell = ReturnType<typeof wakeable>;

function wakeable() {
  let rings = 0;
  let waiting: (() => void) | undefined;
  return {
    count: () => rings,
    ring(this: void): void {
      rings += 1;
      waiting?.();
    },
    /** Settles when it rang after `heard`, after `ms`, or when nobody waits any more. */
    rung(heard: number, ms: number | undefined, signal: AbortSignal): Promise<void> {
      if (rings !== heard || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(finish, ms);
        signal.addEventListener("abort", finish, { once: true });
        waiting = finish;
        function finish(): void {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          waiting = undefined;
          resolve();
        }
      });
    },
  };
}
