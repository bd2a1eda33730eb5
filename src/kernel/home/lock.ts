// Keeps our own processes apart. The kernel holds the lock: whoever is killed lets go of it at that moment, and
// nobody ever has to guess whether a holder still lives. (A file that is there while it is held has to be taken
// from the dead by age: two who find it old at once both get it, and one's change is lost.) Node has no flock, but
// SQLite locks an empty database the same way everywhere. The empty files stay: one that is removed while another
// process has it open is two locks.
import { hash } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf, ProfileError } from "./profile/error.ts";
import { unreadable } from "./profile/files.ts";

const FOLDER = ".locks";
const BUSY = 5; // SQLITE_BUSY
const POLL_MS = 5;
const PATIENCE_MS = 10_000; // a change takes milliseconds, and its note as long as a database does

/** `what`: a name in that folder, not a path: a home may be reached by several. */
export type Locked = { readonly folder: string; readonly what: string };

/** Undefined while anybody holds it: in this process, or in another one of this machine. */
export function tryLock({ folder, what }: Locked): Disposable | undefined {
  const path = join(folder, FOLDER, hash("sha256", what).slice(0, 32));
  const named = join(folder, what); // its own name means nothing to anybody
  make(path, named);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"); // without a second file beside it
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    throw unreadable(named, error);
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** For its owner alone. Never opened once it is there: closing it would let go of a lock that this process holds. */
function make(path: string, named: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw unreadable(named, error);
  }
}

export async function lock(locked: Locked): Promise<Disposable> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const held = tryLock(locked);
    if (held) return held;
    if (performance.now() > deadline) {
      throw new ProfileError("busy", locked.what, "another process is changing it; try again");
    }
    await delay(POLL_MS);
  }
}
