// A file that has grown makes room: it becomes `.1`, `.1` becomes `.2`, and the last one goes. Any number of
// processes write to it; one of them rotates, and nobody keeps it open, so no line ends up in a file that went.
import { renameSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { tryLock } from "./lock.ts";

export const KEPT = 4; // beside the one that is written to

export function rotate(path: string, maxBytes: number): void {
  if (sizeOf(path) < maxBytes) return;
  using lock = tryLock({ folder: dirname(path), what: basename(path) });
  if (!lock) return; // somebody else is at it: the line goes into whichever file is there
  if (sizeOf(path) < maxBytes) return; // done while we came
  for (let age = KEPT; age > 0; age -= 1) {
    const older = age === 1 ? path : `${path}.${age - 1}`;
    if (sizeOf(older) >= 0) renameSync(older, `${path}.${age}`);
  }
}

/** -1 when there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}
