// Takes what a platform sends: in order within a channel, what was written while we were away before what is written
// now. So "heard up to" never covers a message that was not taken, and a kill anywhere loses none.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Conversation } from "../store/messengers.ts";
import { problemOf, type Handlers, type Received } from "./adapter.ts";
import { LeaseLost, type Desk } from "./posting.ts";

export type Intake = {
  readonly take: Handlers["take"];
  /** Settles when everything that was missed is taken. */
  catchUp(): Promise<void>;
};

type Taking = {
  readonly desk: Omit<Desk, "channelId">;
  /** Conversations something may have been missed in, those of last week before others. */
  readonly known: readonly Conversation[];
  /** What whoever pressed is told. */
  readonly admit: (received: Received) => Promise<string | undefined>;
  readonly signal: AbortSignal;
};

const MAX_TRIES = 3;
const PAUSE_MS = 200;
const MAX_READS = 5; // of a history the platform cannot give right now
const READ_PAUSE_MS = 1_000;

export function intake({ desk, known, admit, signal }: Taking): Intake {
  const behind = new Map(known.map((each) => [each.channel_id, each.last_message_id]));
  const lanes = queues(signal);

  async function missedIn(channel: string): Promise<void> {
    const after = behind.get(channel);
    if (after === undefined) return;
    for (const message of await history(desk, { channel, after, signal })) {
      await stubborn(desk, { channel, signal }, () => admit({ message }));
    }
    behind.delete(channel);
  }
  return {
    take: (channel, read) =>
      lanes.enter(channel, async () => {
        await missedIn(channel);
        return stubborn(desk, { channel, signal }, async () => {
          const received = read();
          return received && admit(received);
        });
      }),
    async catchUp() {
      for (const channel of behind.keys()) {
        await lanes.enter(channel, () => missedIn(channel));
      }
    },
  };
}

/** One after the other in a lane, beside each other in different ones. What did not begin before the end is not done. */
function queues(signal: AbortSignal) {
  const tails = new Map<string, Promise<unknown>>();
  return {
    enter<Result>(lane: string, work: () => Promise<Result>): Promise<Result> {
      const now = (tails.get(lane) ?? Promise.resolve()).then(() => {
        signal.throwIfAborted();
        return work();
      });
      const tail = now
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(lane) === tail) tails.delete(lane);
        });
      tails.set(lane, tail);
      return now;
    },
  };
}

type Place = { readonly channel: string; readonly signal: AbortSignal };

/** What throws is tried three times, then counted and left out. That is a row too: while none can be written, it is tried on. */
async function stubborn<Result>(
  desk: Omit<Desk, "channelId">,
  { channel, signal }: Place,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (tries <= MAX_TRIES) return await work();
      return await leaveOut(desk, channel);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      desk.logError(`${desk.platform}: an update was not taken (try ${tries})`, error);
      await delay(PAUSE_MS * tries, undefined, { signal });
    }
  }
}

async function leaveOut(desk: Omit<Desk, "channelId">, channel_id: string): Promise<undefined> {
  const { store, platform, holder } = desk;
  const post = {
    platform,
    channel_id,
    part: `left out:${randomUUID()}`,
    run_id: null,
    request: null,
  };
  const opened = await store.openPost(post, holder);
  if (!opened) throw new LeaseLost(`${platform} is held by another gateway`);
  const problem = "An update of this channel could not be handled; the log says why.";
  await store.keepPost(opened.post.message_key, { state: "failed", problem });
}

/** A channel that cannot be read any more has none; a platform that wants us to wait is waited for. */
async function history(
  { adapter, platform, logError }: Omit<Desk, "channelId">,
  { channel, after, signal }: Place & { readonly after: string },
) {
  for (let reads = 1; ;) {
    try {
      return (await adapter.missed?.(channel, after)) ?? [];
    } catch (error) {
      const { kind, retryMs } = problemOf(error);
      if (kind === "unauthorized" || kind === "conflict") throw error;
      if (kind !== "rate_limited") reads += 1;
      if (kind === "refused" || kind === "gone" || reads > MAX_READS) {
        logError(`${platform}: what was missed in a channel cannot be read`, error);
        return [];
      }
      await delay(retryMs ?? READ_PAUSE_MS * reads, undefined, { signal });
    }
  }
}
