// One platform while this gateway holds it: connected, its messages taken, its conversations followed. Whatever goes
// wrong is told once and tried again; ends only when it is told to.
import { setTimeout as delay } from "node:timers/promises";
import type { Conversation, GatewayPost } from "../store/messengers.ts";
import {
  PlatformProblem,
  problemOf,
  type Adapter,
  type Handlers,
  type Incoming,
} from "./adapter.ts";
import { admit, type Admission } from "./admit.ts";
import { fetchFiles, type KeepFile } from "./fetch-files.ts";
import { follow, type Follower, nameOf } from "./follower.ts";
import { intake } from "./intake.ts";
import { LeaseLost, posting, type Desk } from "./posting.ts";
import { pressed } from "./press.ts";
import { within } from "./within.ts";
import { splitBlocks } from "../split.ts";
import { hashOfCode, shownCode } from "./codes.ts";

export type Held = Omit<Admission, "fetchFiles"> & {
  readonly platform: string;
  readonly holder: string;
  /** A new one for every attempt. */
  readonly adapter: () => Promise<Adapter>;
  readonly keepFile: KeepFile;
  readonly logError: (message: string, error: unknown) => void;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const FINE_MS = 10_000; // a connection that held so long was one
const START_MS = 60_000;
const END_MS = 1_000; // what is not closed by then is left to its library
const LOOK_MS = 1_000; // for deliveries, and for what no wake-up told

export async function holdPlatform(given: Held, signal: AbortSignal): Promise<void> {
  const held = { ...given, codes: [] };
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const born = performance.now();
    try {
      await connectOnce(held, signal);
    } catch (error) {
      const { kind: code, message, retryMs } = problemOf(error);
      const wasFine = performance.now() - born > FINE_MS;
      if (wasFine) pause = FIRST_PAUSE_MS;
      if (wasFine && code === "unreachable") continue; // platforms end connections as they like
      if (code === "internal") held.logError(`${held.platform} ended`, error);
      await held.store.noteGateway(held.platform, { state: "failed", code, message });
      await delay(retryMs ?? pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
}

/** `codes`: what strangers are still to be told. In memory only: the journal has no code in plain text. */
type Holding = Held & { readonly codes: PairingCode[] };

async function connectOnce(held: Holding, signal: AbortSignal): Promise<void> {
  const { journal, store, platform, holder, logError } = held;
  const over = Promise.withResolvers<void>();
  over.promise.catch(() => undefined); // also when it is lost before anybody waits for it
  const stop = new AbortController();
  const inside = AbortSignal.any([signal, stop.signal]);
  inside.addEventListener("abort", () => over.resolve(), { once: true });
  const adapter = await held.adapter();
  await using _ = { [Symbol.asyncDispose]: () => within(END_MS, adapter[Symbol.asyncDispose]()) };
  const desk = { journal, store, adapter, platform, holder, logError };
  const rooms = followers(desk, { signal: inside, lost: over.reject });
  const unwatch = journal.watch((wake) => {
    if (wake === "all") void rooms.look();
    else rooms.wake(wake.sessionId);
  });
  try {
    const known = adapter.missed ? await store.conversations(platform) : [];
    const inbox = intake({
      desk,
      known: known.filter(({ last_message_id }) => last_message_id !== ""),
      signal: inside,
      async admit(received) {
        if ("press" in received) return pressed(held, platform, received.press);
        const fetching = { adapter, keepFile: held.keepFile, signal: inside, logError };
        const sessionId = await taken(held, received.message, {
          adapter,
          fetchFiles: (files) => fetchFiles(fetching, files),
        });
        if (sessionId !== undefined) rooms.wake(sessionId);
        return undefined;
      },
    });
    const handlers: Handlers = { take: inbox.take, lost: over.reject };
    const account = await started(adapter, handlers, { signal: inside, over: over.promise });
    if (account === undefined) return;
    await store.noteGateway(platform, { state: "connected", account });
    inbox.catchUp().catch(over.reject);
    await Promise.race([over.promise, lookAfter(desk, { rooms, codes: held.codes }, inside)]);
  } finally {
    stop.abort();
    unwatch();
    await rooms.ended();
  }
}

type Starting = { readonly signal: AbortSignal; readonly over: Promise<void> };

/** What we are called there; undefined when nobody wants it any more. A platform may take a connection and say nothing. */
async function started(adapter: Adapter, handlers: Handlers, { signal, over }: Starting) {
  const late = new PlatformProblem("unreachable", "The platform did not answer in time.");
  const starting = adapter.start(handlers, signal);
  const ended = Promise.race([starting, over]);
  await within(START_MS, ended);
  const now = await Promise.race([ended, Promise.reject(late)]);
  return now?.account;
}

async function lookAfter(
  desk: Parameters<typeof deliverWaiting>[0],
  { rooms, codes }: { readonly rooms: Rooms; readonly codes: PairingCode[] },
  signal: AbortSignal,
): Promise<void> {
  const deliver = async () => {
    await deliverCodes(desk, codes);
    await deliverWaiting(desk);
  };
  let notBefore = 0;
  while (!signal.aborted) {
    await rooms.look();
    if (performance.now() >= notBefore) {
      await deliver().catch((error: unknown) => {
        if (error instanceof LeaseLost) return;
        const problem = problemOf(error);
        if (problem.kind !== "unreachable" && problem.kind !== "rate_limited") throw problem;
        notBefore = performance.now() + (problem.retryMs ?? 0);
      });
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The session it belongs to; undefined when there is none. */
async function taken(
  held: Holding,
  said: Incoming,
  { adapter, fetchFiles: files }: { adapter: Adapter; fetchFiles: Admission["fetchFiles"] & {} },
): Promise<string | undefined> {
  const user_name = said.user_name || ((await adapter.nameOf?.(said.user_id)) ?? "");
  const incoming = { ...said, user_name };
  const admitted = await admit({ ...held, fetchFiles: files }, held.platform, incoming);
  if (admitted.kind === "taken") return admitted.session_id;
  const { channel_id, user_id } = incoming;
  if (admitted.kind === "pair") held.codes.push({ channel_id, user_id, code: admitted.code });
  return undefined;
}

type Rooms = ReturnType<typeof followers>;
type Inside = { readonly signal: AbortSignal; readonly lost: (error: unknown) => void };

/** One follower per conversation in which something is going on. */
function followers(desk: Parameters<typeof follow>[0], { signal, lost }: Inside) {
  const { store, platform } = desk;
  const open = new Map<string, Follower>();

  function begin(conversation: Conversation): void {
    const { session_id } = conversation;
    const known = open.get(session_id);
    if (known) return known.wake();
    if (signal.aborted) return;
    const follower = follow(desk, conversation, signal);
    open.set(session_id, follower);
    follower.done.catch(lost).finally(() => {
      if (open.get(session_id) === follower) open.delete(session_id);
    });
  }
  async function enter(sessionId: string): Promise<void> {
    const conversation = await store.conversation(sessionId);
    if (conversation?.platform === platform) begin(conversation);
  }
  return {
    wake(sessionId: string): void {
      const known = open.get(sessionId);
      if (known) return known.wake();
      if (sessionId.startsWith(`${platform}:`)) enter(sessionId).catch(lost);
    },
    async look(): Promise<void> {
      for (const conversation of await store.conversationsBehind(platform)) begin(conversation);
    },
    async ended(): Promise<void> {
      await Promise.allSettled([...open.values()].map(({ done }) => done));
    },
  };
}

// Sends what belongs to no conversation's run: notices, codes for strangers, and what schedules deliver to a home channel.
async function deliverWaiting(desk: Omit<Desk, "channelId">): Promise<void> {
  for (const post of await desk.store.waitingPosts(desk.platform)) await deliverOne(desk, post);
}

/** The row that waits has the text; its pieces are rows of their own, and it is done when they are sent. */
async function deliverOne(desk: Omit<Desk, "channelId">, post: GatewayPost): Promise<void> {
  const posts = posting({ ...desk, channelId: post.channel_id });
  const text = post.body ?? "";
  const pieces = splitBlocks([{ kind: "text", text }], desk.adapter.limits.length);
  for (const [index, blocks] of pieces.entries()) {
    const part = `piece:${nameOf(post.part, index)}`;
    await posts.show({ part, runId: null, blocks, ask: null, final: true });
  }
  await desk.store.keepPost(post.message_key, { state: "sent" });
}

type PairingCode = {
  readonly channel_id: string;
  readonly user_id: string;
  readonly code: string;
};

/** One whom the platform does not let us reach is counted as undelivered; one we have to wait with stays in the list. */
async function deliverCodes(desk: Omit<Desk, "channelId">, codes: PairingCode[]): Promise<void> {
  for (let next = codes[0]; next; next = codes[0]) {
    const { channel_id, user_id, code } = next;
    const posts = posting({ ...desk, channelId: channel_id });
    const part = `code:${hashOfCode(desk.platform, code).slice(0, 32)}`;
    const blocks = [{ kind: "text", text: pairText(code) } as const];
    await posts.show({ part, runId: null, blocks, ask: null, final: true });
    await desk.store.pairingSent(desk.platform, user_id);
    codes.shift();
  }
}

function pairText(code: string): string {
  return `I do not know you yet. Give this code to the person who runs me: ${shownCode(code)}\nIt is good for five minutes.`;
}
