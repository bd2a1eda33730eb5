// Blobs in an S3-compatible store, each an object that is named by its hash. Contents are spooled in an unnamed file
// until the hash is known, so a killed writer leaves nothing, neither here nor in the store.
import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "./retry.ts";
import { ATTEMPTS, isPassing, refusal, s3Requests } from "./s3-requests.ts";
import { type S3, S3Error, type S3Options } from "./s3-requests.ts";
import { type BlobRange, blobStream, damaged, isBlobName } from "./stream.ts";
import { noSuchBlob, rangeWithin, verified } from "./stream.ts";
import { type BlobRef, type BlobSink, blobWriter } from "./writer.ts";
import type { BlobStore } from "./blobs.ts";

const MAX_BYTES = 5 * 2 ** 30; // of one PUT
const PART_BYTES = 256 << 10;

/** `spool`: a directory with space for contents that are being written; default: the system's temporary directory. */
export function s3Blobs(options: S3Options & { readonly spool?: string }): BlobStore {
  const s3 = s3Requests(options);
  const spool = options.spool ?? tmpdir();
  return {
    create: () => blobWriter(new S3Sink(s3, spool)),
    size: async (sha256) => (isBlobName(sha256) ? sizeOf(s3, sha256) : undefined),
    read: (sha256, range) => blobStream((signal) => parts(s3, { sha256, range, signal })),
  };
}

async function sizeOf(s3: S3, sha256: string, signal?: AbortSignal): Promise<number | undefined> {
  const request = { method: "HEAD", ...(signal && { signal }) } as const;
  const { status, headers } = await s3.send(sha256, request);
  if (status === 404) return undefined;
  const length = headers.get("content-length");
  if (length === null) throw new S3Error("The S3 store does not say how long a blob is.");
  return Number(length);
}

class S3Sink implements BlobSink {
  readonly #s3: S3;
  readonly #spool: string;
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(s3: S3, spool: string) {
    this.#s3 = s3;
    this.#spool = spool;
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > MAX_BYTES) throw new S3Error("A blob in S3 may have at most 5 GiB.");
    this.#file ??= await nameless(this.#spool);
    await this.#file.writeFile(chunk);
  }

  async publish({ sha256, bytes }: BlobRef): Promise<void> {
    if ((await sizeOf(this.#s3, sha256)) !== bytes) {
      const content = { sha256, bytes, body: () => contentOf(this.#file, bytes) };
      const response = await this.#s3.send(sha256, { method: "PUT", content });
      if (response.status === 404) throw await refusal("PUT", response); // no such bucket
      await response.body?.cancel();
    }
    await this.remove();
  }

  async remove(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

/** A file that vanishes with its process, however it ends; a kill between the two calls leaves an empty file. */
async function nameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `quarterdeck-${randomUUID()}.tmp`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

async function* contentOf(file: FileHandle | undefined, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; file && at < bytes;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, at);
    if (bytesRead === 0) throw new Error("The spooled content of a blob is cut short.");
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

type Reading<Range> = {
  readonly sha256: string;
  readonly range: Range;
  readonly signal: AbortSignal;
};

async function* parts(s3: S3, { sha256, range: wanted, signal }: Reading<BlobRange | undefined>) {
  const size = isBlobName(sha256) ? await sizeOf(s3, sha256, signal) : undefined;
  if (size === undefined) throw noSuchBlob();
  const range = rangeWithin(wanted, size);
  yield* verified(resumed(s3, { sha256, range, signal, size }), { sha256, size, range });
}

type Resumed = Reading<BlobRange> & { readonly size: number };

/** Resumes where a connection broke, as long as each connection delivers something. */
async function* resumed(s3: S3, reading: Resumed): AsyncGenerator<Buffer> {
  const { sha256, range, signal } = reading;
  let at = range.start;
  for (let failures = 0; at <= range.end;) {
    const body = await bodyOf(s3, { ...reading, range: { start: at, end: range.end } });
    try {
      for await (const part of body) {
        failures = 0;
        at += part.byteLength;
        if (at > range.end + 1) throw damaged(sha256, "more came than was asked for");
        yield Buffer.from(part.buffer, part.byteOffset, part.byteLength);
      }
      if (at <= range.end) throw new S3Error("The S3 store cut a blob short.", true);
    } catch (error) {
      failures += 1;
      signal.throwIfAborted();
      if (!isPassing(error) && !(error instanceof TypeError)) throw error; // fetch's for a broken body
      if (failures >= ATTEMPTS) throw new S3Error("The S3 store cut a blob short.");
    }
    if (failures > 0) await pause(failures, s3.retryBaseMs, signal);
  }
}

async function bodyOf(s3: S3, { sha256, range, signal, size }: Resumed) {
  const { start, end } = range;
  const isWhole = end - start + 1 === size;
  const headers: Record<string, string> = isWhole ? {} : { range: `bytes=${start}-${end}` };
  const response = await s3.send(sha256, { method: "GET", headers, signal });
  const said = response.headers.get(isWhole ? "content-length" : "content-range");
  const isAsSaid = said === (isWhole ? String(size) : `bytes ${start}-${end}/${size}`);
  if (isAsSaid && response.body) return response.body;
  await response.body?.cancel();
  if (response.status === 404) throw noSuchBlob();
  throw damaged(sha256, "the S3 store has another length than it said");
}
