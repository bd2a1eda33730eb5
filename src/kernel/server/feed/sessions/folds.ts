// The server's own fold of every watched session, so that windows can compare theirs. There is one per session,
// whatever the number of windows; it is dropped with the last of them. It is folded from events alone, and stored now
// and then so that the next window can draw before it has read them (feed-history.ts).
import { setImmediate } from "node:timers/promises";
import type { Journal, StoredRow } from "../../../journal/journal.ts";
import type { RunEvent } from "../../../events/events.ts";
import { foldHash } from "../../../state/fold-hash.ts";
import { emptyFolded, foldEvents, toFoldedSnapshot, type Folded } from "../../../state/folded.ts";
import { REDUCER_VERSION } from "../../../events/version.ts";
import { pageSize } from "../pages.ts";

/** A window on a session that has caught up. */
export type Watcher = {
  /** session_seq of the newest event it was told. */
  readonly position: number;
  /** Called between two events, never twice for the same state. Must not throw. */
  emit(state: { readonly session_seq: number; readonly hash: string }): void;
};

export type SessionFolds = {
  /** Tells the watcher once, and then at every beat if the session moved. Returns the way to stop. */
  join(sessionId: string, watcher: Watcher): () => void;
  /** What windows are told right now: the fold goes on from it without reading it again. */
  tap(sessionId: string, row: StoredRow): void;
  /** How many sessions are folded, for tests. */
  readonly size: number;
};

type Options = {
  readonly everyMs: number;
  /** Called once for a session, until it can be folded again. */
  readonly failed: (error: unknown) => void;
};
type Entry = {
  readonly sessionId: string;
  /** What each was last told about. */
  readonly watchers: Map<Watcher, number>;
  folded: Folded;
  kept: number; // session_seq of the fold that was kept last
  /**
   * Told to windows and not folded yet, by session_seq. There may be holes: when the last window of a tail goes while
   * another reads its past, nobody is told what happens in between.
   */
  readonly emitted: Map<number, StoredRow>;
  chars: number;
  levelling: boolean;
};

const CHUNK = 200; // events folded before anyone else gets a turn
/** It is kept after so many events, and so much of all there are: what is written stays in proportion. */
const KEPT_AFTER = 500;
const KEPT_SHARE = 0.1;
const MANY_CHARS = 262_144;
const MANY_FAILED = 1_000;

export function sessionFolds(journal: Events, { everyMs, failed }: Options): SessionFolds {
  const entries = new Map<string, Entry>();
  let beating: NodeJS.Timeout | undefined;
  const unfoldable = new Set<string>(); // said already: every window that comes would say it again
  const isOpen = (entry: Entry) => entries.get(entry.sessionId) === entry;

  function catchUp(entry: Entry): void {
    if (entry.levelling) return; // it tells everyone when it is done
    entry.levelling = true;
    level(journal, entry, () => isOpen(entry)).then(
      () => unfoldable.delete(entry.sessionId),
      (error: unknown) => {
        forget(entry); // unreadable, or our mistake: nothing is compared any more
        if (unfoldable.has(entry.sessionId)) return;
        if (unfoldable.size >= MANY_FAILED) unfoldable.clear();
        unfoldable.add(entry.sessionId);
        failed(error);
      },
    );
  }

  function forget(entry: Entry): void {
    if (isOpen(entry)) entries.delete(entry.sessionId);
    if (entries.size > 0) return;
    clearInterval(beating);
    beating = undefined;
  }

  return {
    join(sessionId, watcher) {
      const entry = entries.get(sessionId) ?? newEntry(sessionId);
      entries.set(sessionId, entry);
      entry.watchers.set(watcher, -1);
      beating ??= setInterval(() => entries.forEach(catchUp), everyMs).unref();
      catchUp(entry);
      return () => {
        entry.watchers.delete(watcher);
        if (entry.watchers.size === 0) forget(entry);
      };
    },
    tap(sessionId, row) {
      const entry = entries.get(sessionId);
      if (!entry || row[1] <= entry.folded.session.seq || entry.emitted.has(row[1])) return;
      entry.emitted.set(row[1], row);
      entry.chars += row[2].length;
      if (entry.chars > MANY_CHARS) catchUp(entry); // or a burst would be held until the next beat
    },
    get size() {
      return entries.size;
    },
  };
}

type Events = Pick<Journal, "readSession" | "saveFold">;

/** Folds everything that was told, and then says so. Throws when that cannot be done. */
async function level(journal: Events, entry: Entry, isOpen: () => boolean): Promise<void> {
  const size = pageSize();
  while (isOpen()) {
    const emitted = nextEmitted(entry);
    const reading = emitted ? undefined : readMissing(journal, entry, size.limit);
    if (!emitted && !reading) {
      done(entry); // without waiting: now everybody stands where we stand
      return keep(journal, entry);
    }
    const rows = emitted ?? (await reading) ?? [];
    if (!isOpen()) return;
    entry.folded = foldEvents(entry.folded, rows.map(toEvent));
    if (entry.folded.session.seq !== rows.at(-1)?.[1]) throw new Error("rows that are no events");
    for (const [, sessionSeq] of rows) drop(entry, sessionSeq); // told while they were read
    size.learn({ count: rows.length, chars: charsIn(rows) });
    foldHash(entry.folded); // a part at a time: what is hashed now is remembered at the end
    if (entry.emitted.size > 0 || missing(entry) > 0) await setImmediate();
  }
}

/** What windows had before there was a fold. Undefined, without waiting, when nothing is missing. */
function readMissing(journal: Events, entry: Entry, limit: number) {
  const { sessionId, folded } = entry;
  const count = Math.min(limit, missing(entry));
  if (count <= 0) return undefined;
  return journal.readSession(sessionId, folded.session.seq, count).then((page) => {
    if (!page || page.rows.length === 0) throw new Error(`${sessionId} lost its events`);
    return page.rows;
  });
}

function newEntry(sessionId: string): Entry {
  const folded = emptyFolded(sessionId);
  const nothing = { emitted: new Map<number, StoredRow>(), chars: 0, levelling: false };
  return { sessionId, watchers: new Map(), folded, kept: 0, ...nothing };
}

const toEvent = ([, , body]: StoredRow) => JSON.parse(body) as RunEvent;
const charsIn = (rows: readonly StoredRow[]) =>
  rows.reduce((sum, [, , body]) => sum + body.length, 0);

/** How many events lie between the fold and what is told, or what the furthest watcher has. */
function missing({ folded, emitted, watchers }: Entry): number {
  const first = emitted.keys().reduce((least, seq) => Math.min(least, seq), Infinity);
  const to =
    emitted.size > 0 ? first - 1 : Math.max(0, ...watchers.keys().map((at) => at.position));
  return to - folded.session.seq;
}

/** The next rows to fold: those that follow on what was folded, one on the other. */
function nextEmitted(entry: Entry): readonly StoredRow[] | undefined {
  const rows: StoredRow[] = [];
  for (let next = entry.folded.session.seq + 1; rows.length < CHUNK; next += 1) {
    const row = entry.emitted.get(next);
    if (!row) break;
    rows.push(row);
    drop(entry, next);
  }
  return rows.length > 0 ? rows : undefined;
}

function drop(entry: Entry, sessionSeq: number): void {
  entry.chars -= entry.emitted.get(sessionSeq)?.[2].length ?? 0;
  entry.emitted.delete(sessionSeq);
}

/** One that cannot be kept is not missed: it only saves time. */
async function keep(journal: Events, entry: Entry): Promise<void> {
  const { folded, sessionId, kept } = entry;
  const { seq } = folded.session;
  if (seq - kept < Math.max(KEPT_AFTER, seq * KEPT_SHARE)) return;
  entry.kept = seq;
  const text = JSON.stringify(toFoldedSnapshot(folded));
  await journal.saveFold(sessionId, REDUCER_VERSION, { seq, text }).catch(() => undefined);
}

/** Tells whoever stands exactly where the fold stands. */
function done(entry: Entry): void {
  entry.levelling = false;
  const { folded, watchers } = entry;
  const { seq } = folded.session;
  for (const [watcher, last] of watchers) {
    if (watcher.position !== seq || last === seq) continue;
    watchers.set(watcher, seq);
    watcher.emit({ session_seq: seq, hash: foldHash(folded) });
  }
}
