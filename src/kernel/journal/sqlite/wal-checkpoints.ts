// When the pages that are in the WAL are moved into the main file, and when the WAL begins anew. A checkpoint costs
// milliseconds, so it waits for a quiet moment, but not for ever: the WAL grows.
import type { DatabaseSync } from "node:sqlite";

const COMMITS_WHEN_IDLE = 250;
const COMMITS_AT_ONCE = 1_000; // about 25 MB
const IDLE_MS = 200;
/** What is kept of the WAL when it begins anew: a fresh file costs 40 %. */
const WAL_BYTES = 32 << 20;
const WAL_FRAMES = WAL_BYTES / 4_120; // pages of it, with their headers
const RESTART_MS = 50; // whoever appends is held up for so long at most
const COMMITS_UNTIL_NEXT_TRY = 100;

export type WalCheckpoints = Disposable & {
  /** To be called after every commit. */
  committed(): void;
  now(): void;
};

export function walCheckpoints(
  db: DatabaseSync,
  { busyMs, isWriting }: { readonly busyMs: number; readonly isWriting: () => boolean },
): WalCheckpoints {
  db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${WAL_BYTES}`);
  const passive = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let commits = 0;
  let timer: NodeJS.Timeout | undefined;

  function now(): void {
    commits = 0;
    const { log } = passive.get() as { log: number };
    if (log <= WAL_FRAMES || restart(db, busyMs)) return;
    commits = COMMITS_AT_ONCE - COMMITS_UNTIL_NEXT_TRY;
  }
  /** Once a whole interval has passed without a commit. */
  function whenIdle(seen: number): NodeJS.Timeout {
    return setTimeout(() => {
      timer = undefined;
      if (!db.isOpen || commits < COMMITS_WHEN_IDLE) return;
      if (commits === seen && !isWriting()) now();
      else timer = whenIdle(commits);
    }, IDLE_MS).unref();
  }
  return {
    committed() {
      commits += 1;
      if (commits < COMMITS_WHEN_IDLE) return;
      if (commits > COMMITS_AT_ONCE) now();
      else timer ??= whenIdle(commits);
    },
    now,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/**
 * While several processes commit there is always a page that is not moved yet, and the WAL would never begin anew. So
 * once it has outgrown its use everybody is held up for the last few pages; the next commit begins it anew and cuts the
 * file. False: readers were in the way.
 */
function restart(db: DatabaseSync, busyMs: number): boolean {
  db.exec(`PRAGMA busy_timeout = ${RESTART_MS}`);
  try {
    const { busy } = db.prepare("PRAGMA wal_checkpoint(RESTART)").get() as { busy: number };
    return busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}
