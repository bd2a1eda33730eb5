// Removes the temporary file that a tool host leaves when it is killed while it replaces a file. It is never part of
// the workspace's content; the next host removes it. A write takes moments, so a file untouched for ten minutes has
// no writer; if it had one, that write would fail without effect.
import { lstatSync, opendirSync, unlinkSync } from "node:fs";
import type { Location } from "../files/paths.ts";

const TEMPORARY = /^\.quarterdeck-[0-9a-f-]{36}\.tmp$/;
const STALE_MS = 600_000;
const MAX_NAMES = 20_000;
const MAX_FOLDERS = 10_000;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

export function removeStale(address: string): void {
  try {
    const stats = lstatSync(address);
    if (stats.isFile() && Date.now() - stats.mtimeMs > STALE_MS) unlinkSync(address);
  } catch {} // somebody else has removed it, or it is not ours to remove: it is hidden anyway
}

const swept = new Set<string>();

/** Of the folder that a file is written in, once in the life of this host: it may be large. */
export async function sweepFolder(location: Location): Promise<void> {
  const { dev, ino } = await location.directory.stat({ bigint: true });
  const id = `${dev}:${ino}`;
  if (swept.has(id) || swept.size >= MAX_FOLDERS) return;
  swept.add(id);
  const entries = opendirSync(location.addressOf("."));
  try {
    for (let at = 0; at < MAX_NAMES; at += 1) {
      const entry = entries.readSync();
      if (!entry) break;
      if (isTemporary(entry.name)) removeStale(location.addressOf(entry.name));
    }
  } finally {
    entries.closeSync();
  }
}
