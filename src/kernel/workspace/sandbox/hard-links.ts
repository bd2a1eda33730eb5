// Recognises a hard link to a file that no tool may touch. Only files with several names are compared: an inode
// number is reused after its file is gone, but together with the birth time it identifies one file for ever.
import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const MAX_LINKED = 10_000;
const SETTLED_MS = 100; // a tick of the file system's clock, and more

export function linkId({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Too many to be told to a sandbox: only those that have another name already. */
const BULKY = new Set(["blobs", "caches", "compile-cache"]);

/** What is told to a sandbox, which does not show them: files that have, or may get, another name. */
export async function filesToKnow(
  directory: string,
): Promise<{ linked: string[]; other: string[] }> {
  const linked = await linkedFiles(directory);
  const other = await idsBelow(directory, () => true, BULKY);
  return { linked, other: other.filter((id) => !linked.includes(id)) };
}

/** Files below the directory that have another name somewhere. */
export async function linkedFiles(directory: string): Promise<string[]> {
  return idsBelow(directory, ({ nlink }) => nlink > 1n);
}

/** Stats only, never opens them (D8). */
async function idsBelow(
  directory: string,
  counts: (stats: BigIntStats) => boolean,
  skipped: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const found: string[] = [];
  const folders = [directory];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      const stats = await lstat(path, { bigint: true }).catch(() => undefined);
      if (stats && counts(stats)) found.push(linkId(stats));
      if (found.length >= MAX_LINKED) return found;
    }
  }
  return found;
}

type Looked = { readonly at: number; readonly ids: Promise<ReadonlySet<string>> };
const looked = new Map<string, Looked>();

/** A new name changes a file's ctime: what did not change since the last look needs no other. */
export async function isLinkInto(directory: string, stats: BigIntStats): Promise<boolean> {
  const known = looked.get(directory);
  if (known && Number(stats.ctimeMs) < known.at - SETTLED_MS) {
    return (await known.ids).has(linkId(stats));
  }
  const ids = linkedFiles(directory).then((found) => new Set(found));
  looked.set(directory, { at: Date.now(), ids });
  return (await ids).has(linkId(stats));
}
