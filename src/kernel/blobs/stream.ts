// Shared by the reads of every blob store: names that are hashes, ranges truncated to the content, and complete reads
// that end only if their bytes match the name.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";

/** Both ends are inclusive, as in an HTTP range. */
export type BlobRange = { readonly start: number; readonly end: number };
export type BlobParts = (signal: AbortSignal) => AsyncIterable<Buffer>;

export function isBlobName(sha256: string): boolean {
  return /^[0-9a-f]{64}$/.test(sha256);
}

export function noSuchBlob(): Error {
  return Object.assign(new Error("There is no such blob."), { code: "ENOENT" });
}

/** Drops bytes after the end; a range that begins there is empty. */
export function rangeWithin(range: BlobRange | undefined, size: number): BlobRange {
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? Infinity, size - 1);
  return { start, end: Math.max(end, start - 1) };
}

/** One part at a time, on demand. A reader that leaves early aborts the signal, so nothing keeps waiting. */
export function blobStream(parts: BlobParts): Readable {
  const stop = new AbortController();
  const iterator = parts(stop.signal)[Symbol.asyncIterator]();
  return new Readable({
    read() {
      iterator.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      stop.abort();
      void left(iterator, () => callback(error));
    },
  });
}

async function left(iterator: AsyncIterator<Buffer>, done: () => void): Promise<void> {
  await Promise.allSettled([iterator.return?.()]);
  done();
}

export type Expected = {
  readonly sha256: string;
  readonly size: number;
  readonly range: BlobRange;
};

/** Holds the last part back until all bytes, including it, were checked. */
export async function* verified(
  parts: AsyncIterable<Buffer>,
  { sha256, size, range }: Expected,
): AsyncGenerator<Buffer> {
  const wanted = range.end - range.start + 1;
  const hash = wanted === size ? createHash("sha256") : undefined;
  let bytes = 0;
  let last: Buffer | undefined;
  for await (const part of parts) {
    bytes += part.length;
    hash?.update(part);
    if (last) yield last;
    last = part;
  }
  if (bytes !== wanted) throw damaged(sha256, `${bytes} bytes came instead of ${wanted}`);
  if (hash && hash.digest("hex") !== sha256) throw damaged(sha256, "its content has another hash");
  if (last) yield last;
}

export function damaged(sha256: string, what: string): Error {
  return new Error(`Blob ${sha256.slice(0, 16)} is damaged: ${what}.`);
}
