// Reads a regular file of limited size, or nothing. It never blocks on a FIFO: somebody else may replace the file at
// any moment.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export const MAX_SMALL = 65_536;
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Never through a link. */
export function readSmall(path: string): Buffer | undefined {
  return readFile(path, MAX_SMALL, NO_LINK);
}

export function readFile(path: string, most: number, flags = 0): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS | flags);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > most) return undefined;
    const buffer = Buffer.alloc(Math.min(stats.size, most) + 1);
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    return length > stats.size ? undefined : buffer.subarray(0, length); // it grows
  } catch {
    return undefined; // not there, a link, or not ours to read
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
