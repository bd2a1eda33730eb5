// The content of a small regular file, or nothing: never through a link, never waiting for the other end of
// a FIFO. For files that somebody else may replace at any moment.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export const MAX_SMALL = 65_536;
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function readSmall(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS);
    if (!fstatSync(fd).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_SMALL + 1);
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    return length > MAX_SMALL ? undefined : buffer.subarray(0, length);
  } catch {
    return undefined; // not there, a link, or not ours to read
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
