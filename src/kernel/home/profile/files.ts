// Small text files below `profiles/`, the only place in the home this layer opens. Every component is
// looked at before a file is opened: a link (symbolic or hard) could lead to another profile or to the
// journal's own files, and merely closing one of those would drop SQLite's locks on it (D8).
import { constants, type BigIntStats } from "node:fs";
import { chmod, lstat, mkdir, open, readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { errnoOf, ProfileError } from "./error.ts";

export const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
export const NAME_RULE =
  "small letters, digits, '_' and '-', beginning with a letter or digit (at most 64)";

/** A folder that no path given to it leads out of. */
export type Folder = {
  readonly root: string; // the folder `profiles` itself: nothing above it is looked at
  readonly path: string;
};

export function profilesFolder(home: string): Folder {
  return { root: join(home, "profiles"), path: join(home, "profiles") };
}
/** `directory`: of one profile, as in `Profile`. */
export function profileFolder(directory: string): Folder {
  return { root: dirname(directory), path: directory };
}
export function subfolder({ root, path }: Folder, name: string): Folder {
  return { root, path: join(path, name) };
}

const SEGMENT = /^[^/\\\p{Cc}]{1,255}$/u;

/** A relative path as its components, or a refusal. */
export function components(path: string): string[] {
  const parts = path.split("/");
  const isPlain = (part: string) => SEGMENT.test(part) && part !== "." && part !== "..";
  if (path.length > 1_024 || parts.length > 16 || !parts.every(isPlain)) {
    throw new ProfileError("outside", path.slice(0, 200), "only plain paths below the folder");
  }
  return parts;
}

/** Undefined when there is no such file. */
export async function readText(
  folder: Folder,
  name: string,
  limit: number,
): Promise<string | undefined> {
  const bytes = await readBytes(folder, name, limit + 1);
  if (bytes === undefined) return undefined;
  const path = join(folder.path, name);
  if (bytes.length > limit) {
    throw new ProfileError("too_large", path, `it is larger than ${limit} bytes; shorten it`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ProfileError("not_text", path, "it is not UTF-8 text");
  }
}

/** At most `limit` bytes of the file's beginning. */
export async function readBytes(
  folder: Folder,
  name: string,
  limit: number,
): Promise<Buffer | undefined> {
  const path = join(folder.path, ...components(name));
  const stats = await look(folder.root, path);
  if (!stats) return undefined;
  refuseOther(path, stats);
  try {
    await using file = await open(path, constants.O_RDONLY | NOFOLLOW | NONBLOCK);
    const opened = await file.stat({ bigint: true });
    if (opened.ino !== stats.ino || opened.dev !== stats.dev) refuseOther(path, opened);
    const buffer = Buffer.alloc(Math.min(limit, Number(opened.size)));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } catch (error) {
    throw unreadable(path, error);
  }
}

// Absent on Windows, where creating a symbolic link needs a privilege.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;

/** Changes whenever the file does; undefined when there is none. */
export async function versionOf(folder: Folder, name: string): Promise<string | undefined> {
  const stats = await look(folder.root, join(folder.path, ...components(name)));
  return stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}

export async function exists(folder: Folder): Promise<boolean> {
  const stats = await look(folder.root, folder.path);
  if (stats && !stats.isDirectory()) refuse(folder.path, "it is not a folder");
  return stats !== undefined;
}

export type Entry = { readonly name: string; readonly kind: "folder" | "file" | "other" };

/** Sorted by name; none when there is no such folder. */
export async function entriesOf(folder: Folder): Promise<Entry[]> {
  if (!(await exists(folder))) return [];
  try {
    const found = await readdir(folder.path, { withFileTypes: true });
    return found
      .map((entry): Entry => ({
        name: entry.name,
        kind: entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other",
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw unreadable(folder.path, error);
  }
}

/** Makes the folder and all above it up to the root, for their owner only. It is there after a power loss, too. */
export async function ensureFolder({ root, path }: Folder): Promise<void> {
  for (const each of ancestors(root, path)) {
    try {
      const made = await mkdir(each, { mode: 0o700, recursive: each === root });
      if (each !== root || made !== undefined) await syncParent(each);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw unreadable(each, error);
    }
    const stats = await look(root, each);
    if (!stats?.isDirectory()) refuse(each, "it is not a folder");
    else if ((stats.mode & 0o077n) !== 0n) await chmod(each, 0o700);
  }
}

async function syncParent(path: string): Promise<void> {
  await using parent = await open(dirname(path));
  await parent.sync().catch(() => undefined); // some file systems cannot
}

/** What is there, after every folder on the way to it turned out to be one. */
async function look(root: string, path: string): Promise<BigIntStats | undefined> {
  for (const each of ancestors(root, path)) {
    const stats = await lstatIfThere(each);
    if (!stats || each === path) {
      if (stats?.isSymbolicLink())
        refuse(each, "links are not followed here; put a copy in its place");
      return stats;
    }
    if (!stats.isDirectory())
      refuse(each, "it is not a folder of its own (links are not followed)");
  }
  return undefined;
}

function ancestors(root: string, path: string): string[] {
  const below = relative(root, path).split(sep).filter(Boolean);
  return [root, ...below.map((_, index) => join(root, ...below.slice(0, index + 1)))];
}

async function lstatIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw unreadable(path, error);
  }
}

function refuseOther(path: string, stats: BigIntStats): void {
  if (!stats.isFile()) refuse(path, "it is not a regular file");
  if (stats.nlink > 1n) refuse(path, "it has a second name (a hard link); put a copy in its place");
}

function refuse(path: string, problem: string): never {
  throw new ProfileError("not_plain", path, problem);
}

export function unreadable(path: string, error: unknown): Error {
  if (error instanceof ProfileError) return error;
  const why = errnoOf(error) || (error as Error).message;
  return new ProfileError("unreadable", path, `${basename(path)} cannot be used (${why})`);
}
