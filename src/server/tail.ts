// Follows logs for any number of subscribers with one reader per log: what was committed is read
// once, framed once, and the same bytes are written to everyone. A subscriber that is behind reads
// for itself, at its own pace, until it has caught up. Nobody is ever given a hole: a reader that
// cannot keep up is disconnected and comes back with its cursor (V3).
import type { Journal, Page, StoredRow } from "../journal/journal.ts";

export type Source = {
  readonly key: string;
  /** What a wake-up must name for this source to have something new. */
  readonly wokenBy: { logId: string } | { sessionId: string };
  readonly read: (after: number, limit: number) => Promise<Page | undefined>;
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
  head: number;
  joined: Set<Joined>;
  visitors: number; // subscribers that are still catching up
  pumping: boolean;
  again: boolean;
};

const PAGE = 200;

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
    let tail = open.get(source.key);
    if (!tail) {
      const head = (await source.read(after, 1))?.head ?? after;
      tail = open.get(source.key) ?? newTail(source, head);
      open.set(source.key, tail);
    }
    tail.visitors += 1;
    const position = await catchUp(tail, after, subscriber).finally(() => {
      tail.visitors -= 1;
      closeIfIdle(tail);
    });
    if (position === undefined || subscriber.closed) return;
    open.set(source.key, tail);
    tail.joined.add({ subscriber, position });
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

function newTail(source: Source, head: number): Tail {
  return { source, head, joined: new Set(), visitors: 0, pumping: false, again: false };
}

/** Sends pages to one subscriber until it is at the head. Undefined when there is nothing to join. */
async function catchUp(tail: Tail, after: number, subscriber: Subscriber) {
  const { source } = tail;
  let position = after;
  while (!subscriber.closed) {
    const page = await source.read(position, PAGE);
    const last = page?.rows.at(-1);
    if (!page || !last) break;
    subscriber.write(Buffer.from(page.rows.map(source.frame).join("")));
    position = source.position(last);
    if (source.ends(last)) {
      subscriber.end();
      return undefined;
    }
    if (page.rows.length < PAGE) break;
    await subscriber.drained();
  }
  tail.head = Math.max(tail.head, tail.joined.size === 0 ? position : tail.head);
  return position;
}

/** Reads what is new once and gives everyone the part they do not have. */
async function advance(tail: Tail): Promise<void> {
  const { source } = tail;
  const from = Math.min(...[...tail.joined].map(({ position }) => position));
  const page = await source.read(from, PAGE);
  const last = page?.rows.at(-1);
  if (!page || !last) return;
  const frames = page.rows.map(source.frame);
  const all = Buffer.from(frames.join(""));
  const to = source.position(last);
  for (const joined of tail.joined) {
    if (joined.position >= to) continue;
    const missing = to - joined.position;
    const chunk = joined.position === from ? all : Buffer.from(frames.slice(-missing).join(""));
    joined.position = to;
    joined.subscriber.write(chunk);
    if (source.ends(last)) joined.subscriber.end();
  }
  tail.head = to;
  if (page.rows.length === PAGE) tail.again = true;
}
