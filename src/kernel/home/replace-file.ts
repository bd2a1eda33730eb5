// Replaces a small file as a whole: a reader, or a kill at any moment, sees the old content or the
// new. A lock keeps our own processes apart; people know nothing of it, so what they wrote between
// reading and replacing is noticed and the change is made again on top of it.
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { lock } from "./lock.ts";
import { ProfileError } from "./profile/error.ts";
import {
  ensureFolder,
  entriesOf,
  readText,
  unreadable,
  versionOf,
  type Folder,
} from "./profile/files.ts";

const TRIES = 20;
const TEMPORARY = /^[0-9a-f-]{36}\.tmp$/;

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
  using _lock = await lock({ folder: folder.root, what: relative(folder.root, path) });
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
  await sweep(folder, name);
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
async function sweep(folder: Folder, of: string): Promise<void> {
  const begun = `.${of}.`;
  for (const { name, kind } of await entriesOf(folder)) {
    if (kind !== "file" || !name.startsWith(begun)) continue;
    if (TEMPORARY.test(name.slice(begun.length)))
      await rm(join(folder.path, name), { force: true });
  }
}
