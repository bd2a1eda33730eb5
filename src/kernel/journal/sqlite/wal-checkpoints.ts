// When pages of the WAL are moved into the main file, and when the WAL restarts. A checkpoint costs milliseconds, so it
// waits for a quiet moment, but not forever: the WAL grows.
import type { DatabaseSync } from "node:sqlite";
import { integer, rowsOf } from "../rows.ts";

const COMMITS_WHEN_IDLE = 250;
const COMMITS_AT_ONCE = 1_000; // about 25 MB
const IDLE_MS = 200;
/** How much of the WAL file is kept when it restarts: a new file makes writes 40 % slower. */
const WAL_BYTES = 32 << 20;
const WAL_FRAMES = WAL_BYTES / 4_120; // pages of it, with their headers
const RESTART_MS = 50; // an append waits at most this long
const COMMITS_UNTIL_NEXT_TRY = 100;

export type WalCheckpoints = Disposable & {
  /** Call it after every commit. */
  committed(): void;
  now(): void;
};

const CHECKPOINT = rowsOf("wal_checkpoint", { busy: integer, log: integer });

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
    const { log } = CHECKPOINT.of(passive.get() ?? {});
    if (log <= WAL_FRAMES || restart(db, busyMs)) return;
    commits = COMMITS_AT_ONCE - COMMITS_UNTIL_NEXT_TRY;
  }
  /** Runs after an interval without a commit. */
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
 * While several processes commit, there is always an unmoved page, and the WAL would never restart. So once it is too
 * large, all writers wait for the last few pages; the next commit restarts the WAL and truncates the file. Returns
 * false if readers prevented it.
 */
function restart(db: DatabaseSync, busyMs: number): boolean {
  db.exec(`PRAGMA busy_timeout = ${RESTART_MS}`);
  try {
    return CHECKPOINT.of(db.prepare("PRAGMA wal_checkpoint(RESTART)").get() ?? {}).busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}
