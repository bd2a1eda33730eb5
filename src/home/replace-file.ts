// Replaces a small file as a whole: a reader, or a kill at any moment, sees the old content or the
// new. A lock keeps our own processes apart; people know nothing of it, so what they wrote between
// reading and replacing is noticed and the change is made again on top of it.
import { randomUUID } from "node:crypto";
import { lstat, open, rename, rm, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf, ProfileError } from "./profile-error.ts";
import {
  ensureFolder,
  entriesOf,
  readText,
  unreadable,
  versionOf,
  type Folder,
} from "./profile-files.ts";

const LOCK_STALE_MS = 5_000; // a change takes milliseconds: whoever holds it longer was killed
const LOCK_POLL_MS = 5;
const TRIES = 20;
const TEMPORARY = /^\..+\.[0-9a-f-]{36}\.tmp$/;

export type Change<Result> = (text: string | undefined) => {
  readonly text: string | undefined; // undefined: leave the file as it is
  readonly result: Result;
};

/**
 * `change` sees what is there now. It may be asked more than once and must have no effects. `then` is done before
 * any of our processes may change the file again.
 */
export async function changeFile<Result>(
  { folder, name, limit }: { folder: Folder; name: string; limit: number },
  change: Change<Result>,
  then: (result: Result) => Promise<void> = async () => {},
): Promise<Result> {
  await ensureFolder(folder);
  const path = join(folder.path, name);
  await using _lock = await lock(path);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const version = await versionOf(folder, name);
    const { text, result } = change(await readText(folder, name, limit));
    const isCurrent = async () => (await versionOf(folder, name)) === version;
    if (text !== undefined && !(await replace(folder, { name, text, isCurrent }))) continue;
    await then(result);
    return result;
  }
  throw new ProfileError("busy", path, "it keeps changing; try again");
}

async function replace(
  folder: Folder,
  { name, text, isCurrent }: { name: string; text: string; isCurrent: () => Promise<boolean> },
): Promise<boolean> {
  await sweep(folder);
  const temporary = join(folder.path, `.${name}.${randomUUID()}.tmp`);
  try {
    {
      await using file = await open(temporary, "wx", 0o600);
      await file.writeFile(text);
      await file.sync();
    }
    if (!(await isCurrent())) {
      await rm(temporary, { force: true });
      return false;
    }
    await rename(temporary, join(folder.path, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw unreadable(join(folder.path, name), error);
  }
  await using directory = await open(folder.path);
  await directory.sync().catch(() => undefined); // some file systems cannot; the data is synced
  return true;
}

/** What a killed process had begun. Called under the lock, so nobody is writing one now. */
async function sweep(folder: Folder): Promise<void> {
  for (const { name, kind } of await entriesOf(folder)) {
    if (kind === "file" && TEMPORARY.test(name) && (await isStale(join(folder.path, name)))) {
      await rm(join(folder.path, name), { force: true });
    }
  }
}

async function isStale(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > LOCK_STALE_MS;
}

/** Whoever notes a change may wait for a database: as long as it lives, the lock is its own. */
const LOCK_RENEWED_MS = 1_000;

/** For as long as it is held, none of our processes has the same. Its folder must exist. */
export async function lock(path: string): Promise<AsyncDisposable> {
  const place = `${path}.lock`;
  const deadline = performance.now() + 2 * LOCK_STALE_MS;
  while (!(await take(place))) {
    if (await isStale(place)) await rm(place, { force: true });
    else if (performance.now() > deadline) {
      throw new ProfileError("busy", path, `another process is changing it (${basename(place)})`);
    } else await delay(LOCK_POLL_MS);
  }
  const held = setInterval(() => {
    const now = new Date();
    utimes(place, now, now).catch(() => undefined); // taken from us: then it was held for too long
  }, LOCK_RENEWED_MS).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(held);
      await rm(place, { force: true });
    },
  };
}

async function take(place: string): Promise<boolean> {
  try {
    await using _file = await open(place, "wx", 0o600);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw unreadable(place, error);
  }
}
