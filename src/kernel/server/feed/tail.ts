// Follows logs for any number of subscribers with one reader per log and window: committed events are read once,
// framed once, and the same bytes go to everyone. A subscriber that is behind reads at its own pace until it has
// caught up. No subscriber ever gets a gap: one that cannot keep up is disconnected and resumes with its cursor (V3).
import { setImmediate } from "node:timers/promises";
import type { Frames, Journal, Page, StoredRow, Wake } from "../../journal/journal.ts";
import { pageSize, pieces, type PageSize } from "./pages.ts";

/** What rows are on the wire. Asked once per row, in order: a foreign format may depend on what came before. */
export type Framing = (row: StoredRow, emitOptions: { replay: boolean }) => readonly string[];

export type Source = {
  readonly key: string;
  /** What a wake-up must name for this source to have something new. */
  readonly wokenBy: { logId: string } | { sessionId: string };
  readonly read: (after: number, limit: number) => Promise<Page | undefined>;
  readonly head: () => Promise<number>;
  readonly position: (row: StoredRow) => number;
  /** Where to read from, and how to frame, for a window that has seen everything up to `after`. */
  readonly enter: (after: number) => { readonly from: number; readonly framing: Framing };
  readonly pack: (texts: readonly string[]) => Buffer;
  /** True for the last event there will ever be. */
  readonly ends: (row: StoredRow) => boolean;
  /** Throws what keeps it from being read, where that is known beforehand. */
  readonly check?: () => Promise<void>;
  /** A shorter way to the bytes of a whole page, where rows are framed one by one. */
  readonly replay?: (after: number, limit: number) => Promise<Frames | undefined>;
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
  /** Settles when the subscriber has caught up, or is gone. */
  subscribe(source: Source, after: number, subscriber: Subscriber): Promise<void>;
  /** How many logs are being read, for tests and `status`. */
  readonly size: number;
  stop(): void;
}

/** Source and framing of one subscriber: what a source knows beside its rows belongs to its framing. */
type Live = { readonly source: Source; readonly framing: Framing; position: number };
const SWEEP_MS = 30_000;
type Joined = { subscriber: Subscriber; position: number };
type Tail = {
  source: Source;
  size: PageSize;
  joined: Set<Joined>;
  /** Rows up to `position` were framed; undefined until the first subscriber brings one. */
  live: Live | undefined;
  folding: Folding | undefined;
  visitors: number; // subscribers that are still catching up
  pumping: boolean;
  again: boolean;
};

/**
 * Somebody reads the past only to know what to go on with, up to `after`. Whoever has seen as much waits for
 * that instead of doing the same: a thousand windows that come back at once are one fold, not a thousand.
 */
type Folding = {
  readonly after: number;
  readonly waiting: Map<Joining, (joined: boolean) => void>;
};

export function tails(journal: Journal, failed: (error: unknown) => void): Tails {
  const open = new OpenTails();
  // Where nothing happens nobody would notice that all have left.
  const sweep = setInterval(() => {
    for (const tail of open.all()) closeIfIdle(tail);
  }, SWEEP_MS).unref();
  const unwatch = journal.watch((wake) => {
    for (const tail of open.wokenBy(wake)) pump(tail).catch(failed);
  });

  async function subscribe(source: Source, after: number, subscriber: Subscriber): Promise<void> {
    const tail = open.of(source);
    tail.visitors += 1;
    try {
      await catchUp(tail, { source, after, subscriber });
    } finally {
      tail.visitors -= 1;
      closeIfIdle(tail);
    }
    await pump(tail); // what was committed since the last page
  }

  function closeIfIdle(tail: Tail): void {
    for (const joined of tail.joined) if (joined.subscriber.closed) tail.joined.delete(joined);
    if (tail.joined.size > 0) return;
    tail.live = undefined; // nobody needs what was framed so far
    if (tail.visitors === 0) open.close(tail);
  }

  async function pump(tail: Tail): Promise<void> {
    tail.again = true;
    if (tail.pumping) return; // the running one looks once more
    tail.pumping = true;
    try {
      while (tail.again) {
        tail.again = false;
        closeIfIdle(tail);
        if (tail.live) await advance(tail, tail.live);
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
    stop() {
      clearInterval(sweep);
      unwatch();
    },
  };
}

/** Found by what wakes them: every token of every run is asked about, however many read others. */
class OpenTails {
  readonly #byKey = new Map<string, Tail>();
  readonly #byWake = new Map<string, Set<Tail>>();

  get size(): number {
    return this.#byKey.size;
  }

  all(): Iterable<Tail> {
    return this.#byKey.values();
  }

  of(source: Source): Tail {
    const known = this.#byKey.get(source.key);
    if (known) return known;
    const tail = newTail(source);
    const wakeKey = keyOf(source);
    this.#byKey.set(source.key, tail);
    this.#byWake.set(wakeKey, (this.#byWake.get(wakeKey) ?? new Set()).add(tail));
    return tail;
  }

  close(tail: Tail): void {
    const wakeKey = keyOf(tail.source);
    const same = this.#byWake.get(wakeKey);
    same?.delete(tail);
    if (same?.size === 0) this.#byWake.delete(wakeKey);
    if (this.#byKey.get(tail.source.key) === tail) this.#byKey.delete(tail.source.key);
  }

  *wokenBy(wake: Wake | "all"): Iterable<Tail> {
    if (wake === "all") return yield* this.all();
    yield* this.#byWake.get(`log ${wake.logId}`) ?? [];
    yield* this.#byWake.get(`session ${wake.sessionId}`) ?? [];
  }
}

function keyOf({ wokenBy }: Source): string {
  return "logId" in wokenBy ? `log ${wokenBy.logId}` : `session ${wokenBy.sessionId}`;
}

function newTail(source: Source): Tail {
  const size = pageSize();
  const joined = new Set<Joined>();
  const idle = { live: undefined, folding: undefined, visitors: 0 };
  return { source, size, joined, ...idle, pumping: false, again: false };
}

/** `source` is the subscriber's own: of the same key, but it may leave out what this one has seen. */
type Joining = { source: Source; after: number; subscriber: Subscriber };

/** So little that who has seen everything before it need not be told it page by page. */
const NEAR = 200;

/** Until the tail can go on with the subscriber. */
async function catchUp(tail: Tail, joining: Joining): Promise<void> {
  const { source, after, subscriber } = joining;
  while (!subscriber.closed) {
    if (joinLive(tail, joining)) return;
    const past = await source.head(); // what comes later is told as it happens
    if (joinLive(tail, joining)) return;
    const floor = Math.max(0, past - NEAR);
    const resumes = after > 0 && after >= floor && source.replay === undefined;
    // A tail that is open is already further: only the subscriber itself can fill the gap.
    if (!resumes || tail.live) return emitHistory(tail, joining, past);
    if (!tail.folding || after < tail.folding.after) return fold(tail, joining, floor);
    const { waiting } = tail.folding;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting.set(joining, resolve);
    if (await promise) return;
  }
}

function joinLive(tail: Tail, { subscriber, after }: Joining): boolean {
  if (!tail.live || after < tail.live.position) return false;
  tail.joined.add({ subscriber, position: after });
  return true;
}

/** Frames what everybody near the head has seen, and opens the tail there for it and for all who waited. */
async function fold(tail: Tail, joining: Joining, target: number): Promise<void> {
  const { source } = joining;
  const folding: Folding = { after: target, waiting: new Map([[joining, () => {}]]) };
  tail.folding = folding;
  const isWanted = () => folding.waiting.keys().some(({ subscriber }) => !subscriber.closed);
  let joined = false;
  try {
    const { from, framing } = source.enter(target);
    const position = await foldTo(source, framing, { from, target, isWanted });
    if (position === "ended") for (const { subscriber } of folding.waiting.keys()) subscriber.end();
    else tail.live ??= { source, framing, position };
    joined = position === "ended" || joinLive(tail, joining);
  } finally {
    if (tail.folding === folding) tail.folding = undefined;
    for (const [other, settle] of folding.waiting) {
      if (other !== joining) settle(other.subscriber.closed || joinLive(tail, other));
    }
  }
  if (!joined) await catchUp(tail, joining); // others went on meanwhile
}

type FoldTo = { from: number; target: number; isWanted: () => boolean };

async function foldTo(source: Source, framing: Framing, { from, target, isWanted }: FoldTo) {
  let position = from;
  const size = pageSize();
  while (position < target && isWanted()) {
    const page = await source.read(position, Math.min(size.limit, target - position));
    const last = page?.rows.at(-1);
    if (!page || !last) break;
    for (const row of page.rows) framing(row, { replay: true });
    position = source.position(last);
    if (source.ends(last)) return "ended";
    const chars = page.rows.reduce((sum, [, , body]) => sum + body.length, 0);
    size.learn({ count: page.rows.length, chars });
    await setImmediate(); // reading is synchronous: a long past must not hold up everyone else
  }
  return position;
}

/** Sends pages to one subscriber, at its pace, until it is where the tail is. */
async function emitHistory(tail: Tail, { source, after, subscriber }: Joining, past: number) {
  // Others go on with this framing: a cursor beyond the head must not silence them.
  const { from, framing } = source.enter(Math.min(after, past));
  const size = pageSize();
  let position = from;
  while (!subscriber.closed) {
    const page: (Frames & { chars?: number }) | undefined = await (source.replay?.(
      position,
      size.limit,
    ) ?? framedPage(source, framing, { after: position, limit: size.limit, past }));
    if (page && page.count > 0) {
      if (page.bytes.byteLength > 0 && !subscriber.write(page.bytes)) return;
      position = page.to;
      if (page.ended) return subscriber.end();
      size.learn({ count: page.count, chars: page.chars ?? page.bytes.byteLength });
    }
    if (!page || position >= page.head) {
      if (tail.live && position < tail.live.position) continue; // it went on meanwhile
      tail.live ??= { source, framing, position };
      return void tail.joined.add({ subscriber, position });
    }
    await subscriber.drained();
    await setImmediate();
  }
}

type PageOf = { after: number; limit: number; past: number };

async function framedPage(source: Source, framing: Framing, { after, limit, past }: PageOf) {
  const page = await source.read(after, limit);
  const last = page?.rows.at(-1);
  if (!page || !last) return page && { ...NO_FRAMES, to: after, head: page.head };
  const texts = page.rows.flatMap((row) => framing(row, { replay: source.position(row) <= past }));
  const chars = page.rows.reduce((sum, [, , body]) => sum + body.length, 0);
  const bytes = texts.length === 0 ? NO_FRAMES.bytes : source.pack(texts);
  const to = source.position(last);
  return { bytes, count: page.rows.length, chars, to, head: page.head, ended: source.ends(last) };
}

const NO_FRAMES = { bytes: Buffer.alloc(0), count: 0, chars: 0, ended: false };

/** Reads what is new once and gives everyone the part they do not have. */
async function advance(tail: Tail, live: Live): Promise<void> {
  const { size } = tail;
  const { source } = live;
  const page = await source.read(live.position, size.limit);
  const last = page?.rows.at(-1);
  if (!page || !last || tail.live !== live) return;
  const texts = page.rows.map((row) => live.framing(row, { replay: false }));
  const from = live.position;
  const to = source.position(last);
  live.position = to;
  const all = [...pieces(texts, source.pack)];
  const over = source.ends(last);
  for (const joined of tail.joined) {
    if (joined.position < to) {
      const late = joined.position > from;
      const missing = () => page.rows.findIndex((row) => source.position(row) > joined.position);
      const chunks = late ? [...pieces(texts.slice(missing()), source.pack)] : all;
      joined.position = to;
      chunks.every((chunk) => joined.subscriber.write(chunk));
    }
    if (over) joined.subscriber.end(); // also who has seen all of it before
  }
  if (over) {
    tail.live = undefined; // whoever comes now finds the end for itself
    return tail.joined.clear();
  }
  const chars = page.rows.reduce((sum, [, , body]) => sum + body.length, 0);
  size.learn({ count: page.rows.length, chars });
  if (to >= page.head) return;
  tail.again = true;
  await setImmediate(); // sockets get their turn: a burst must not look like readers that stall
}
