// Follows logs for any number of subscribers with one reader per log: what was committed is read
// once, framed once, and the same bytes are written to everyone. A subscriber that is behind reads
// for itself, at its own pace, until it has caught up. Nobody is ever given a hole: a reader that
// cannot keep up is disconnected and comes back with its cursor (V3).
import { setImmediate } from "node:timers/promises";
import type { Frames, Journal, Page, StoredRow } from "../journal/journal.ts";
import { pageSize, pieces, type PageSize } from "./pages.ts";

export type Source = {
  readonly key: string;
  /** What a wake-up must name for this source to have something new. */
  readonly wokenBy: { logId: string } | { sessionId: string };
  readonly read: (after: number, limit: number) => Promise<Page | undefined>;
  /** The same for a replay, as bytes to be sent. */
  readonly replay: (after: number, limit: number) => Promise<Frames | undefined>;
  readonly head: () => Promise<number>;
  readonly position: (row: StoredRow) => number;
  readonly frame: (row: StoredRow) => string;
  /** True for the last event there will ever be. */
  readonly ends: (row: StoredRow) => boolean;
};

export interface Subscriber {
  /** Takes a chunk. False when the subscriber has too much unsent and was disconnected. */
  write(chunk: Buffer): boolean;
  /** Settles when there is room again. */
  drained(): Promise<void>;
  end(): void;
  readonly closed: boolean;
}

export interface Tails {
  subscribe(source: Source, after: number, subscriber: Subscriber): Promise<void>;
  /** How many logs are being read, for tests and `status`. */
  readonly size: number;
  stop(): void;
}

type Joined = { subscriber: Subscriber; position: number };
type Tail = {
  source: Source;
  size: PageSize;
  joined: Set<Joined>;
  visitors: number; // subscribers that are still catching up
  pumping: boolean;
  again: boolean;
};

export function tails(journal: Journal, failed: (error: unknown) => void): Tails {
  const open = new Map<string, Tail>();
  const stop = journal.watch((wake) => {
    for (const tail of open.values()) {
      const by = tail.source.wokenBy;
      const named =
        wake === "all" ||
        ("logId" in by ? wake.logId === by.logId : wake.sessionId === by.sessionId);
      if (named) pump(tail).catch(failed);
    }
  });

  async function subscribe(source: Source, after: number, subscriber: Subscriber): Promise<void> {
    const tail = open.get(source.key) ?? newTail(source);
    open.set(source.key, tail);
    tail.visitors += 1;
    try {
      const position = await catchUp(source, after, subscriber);
      if (position !== undefined) tail.joined.add({ subscriber, position });
    } finally {
      tail.visitors -= 1;
      closeIfIdle(tail);
    }
    await pump(tail); // what was committed since the last page
  }

  function closeIfIdle(tail: Tail): void {
    for (const joined of tail.joined) if (joined.subscriber.closed) tail.joined.delete(joined);
    if (tail.joined.size === 0 && tail.visitors === 0) open.delete(tail.source.key);
  }

  async function pump(tail: Tail): Promise<void> {
    tail.again = true;
    if (tail.pumping) return; // the running one looks once more
    tail.pumping = true;
    try {
      while (tail.again) {
        tail.again = false;
        closeIfIdle(tail);
        if (tail.joined.size > 0) await advance(tail);
      }
    } catch (error) {
      // Nobody waits for what cannot be read: they come back with their cursors and get the reason.
      for (const { subscriber } of tail.joined) subscriber.end();
      throw error;
    } finally {
      tail.pumping = false;
    }
  }

  return {
    subscribe,
    get size() {
      return open.size;
    },
    stop,
  };
}

function newTail(source: Source): Tail {
  const size = pageSize();
  return { source, size, joined: new Set(), visitors: 0, pumping: false, again: false };
}

/** Sends pages to one subscriber until it is at the head. Undefined when there is nothing to join. */
async function catchUp(source: Source, after: number, subscriber: Subscriber) {
  const size = pageSize();
  let position = after;
  while (!subscriber.closed) {
    const page = await source.replay(position, size.limit);
    if (!page || page.count === 0) return position;
    if (!subscriber.write(page.bytes)) return undefined;
    position = page.to;
    if (page.ended) {
      subscriber.end();
      return undefined;
    }
    size.learn({ count: page.count, chars: page.bytes.byteLength });
    if (position >= page.head) return position;
    await subscriber.drained();
  }
  return undefined;
}

/** Reads what is new once and gives everyone the part they do not have. */
async function advance(tail: Tail): Promise<void> {
  const { source, size } = tail;
  const from = Math.min(...[...tail.joined].map(({ position }) => position));
  const page = await source.read(from, size.limit);
  const last = page?.rows.at(-1);
  if (!page || !last) return;
  const all = [...pieces(page.rows, source.frame)];
  const to = source.position(last);
  for (const joined of tail.joined) {
    if (joined.position >= to) continue;
    const missing = to - joined.position;
    const late = joined.position > from;
    const chunks = late ? [...pieces(page.rows.slice(-missing), source.frame)] : all;
    joined.position = to;
    chunks.every((chunk) => joined.subscriber.write(chunk));
    if (source.ends(last)) joined.subscriber.end();
  }
  const chars = page.rows.reduce((sum, [, , body]) => sum + body.length, 0);
  size.learn({ count: page.rows.length, chars });
  if (to >= page.head) return;
  tail.again = true;
  await setImmediate(); // sockets get their turn: a burst must not look like readers that stall
}
