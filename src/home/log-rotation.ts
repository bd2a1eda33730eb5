// A file that has grown makes room: it becomes `.1`, `.1` becomes `.2`, and the last one goes. Any number of
// processes write to it; one of them rotates, and nobody keeps it open, so no line ends up in a file that went.
import { closeSync, openSync, renameSync, rmSync, statSync } from "node:fs";

export const KEPT = 4; // beside the one that is written to
const STALE_MS = 10_000; // a lock of somebody who was killed

export function rotate(path: string, maxBytes: number): void {
  if (sizeOf(path) < maxBytes) return;
  const lock = `${path}.lock`;
  if (!taken(lock)) return; // somebody else is at it: the line goes into whichever file is there
  try {
    if (sizeOf(path) < maxBytes) return; // done while we came
    for (let age = KEPT; age > 0; age -= 1) {
      const older = age === 1 ? path : `${path}.${age - 1}`;
      if (sizeOf(older) >= 0) renameSync(older, `${path}.${age}`);
    }
  } finally {
    rmSync(lock, { force: true });
  }
}

/** -1 when there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch {
    const at = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (at !== undefined && Date.now() - at > STALE_MS) rmSync(lock, { force: true });
    return false;
  }
}
