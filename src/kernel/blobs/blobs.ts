// Stores outputs that are too large for an event, by the SHA-256 of their content. A blob is complete and synced before
// the event that names it is appended; until then it has a temporary name.
import { createReadStream, mkdirSync } from "node:fs";
import { mkdir, open, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { removeLeftovers, temporaryName } from "./leftovers.ts";
import {
  type BlobRange,
  blobStream,
  isBlobName,
  noSuchBlob,
  rangeWithin,
  verified,
} from "./stream.ts";
import { type BlobRef, type BlobSink, type BlobWriter, blobWriter } from "./writer.ts";
import { syncFolder } from "../journal/sqlite/sync-folder.ts";

export type { BlobRef, BlobWriter } from "./writer.ts";

export interface BlobStore {
  create(): BlobWriter;
  /** Undefined if there is none; otherwise it survives a power loss, whichever process stored it. */
  size(sha256: string): Promise<number | undefined>;
  /**
   * Both ends of the range are inclusive. Fails instead of ending if there is no such blob, or if
   * all of it was read and does not match its name.
   */
  read(sha256: string, range?: BlobRange): Readable;
}

export function blobStore(root: string): BlobStore {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  removeLeftovers(root).catch(() => undefined); // they only waste space
  const place = (sha256: string) => join(root, sha256.slice(0, 2), sha256);
  const sizeOf = async (sha256: string) => {
    if (!isBlobName(sha256)) return undefined;
    return (await stat(place(sha256)).catch(() => undefined))?.size;
  };
  const syncedOnce = onceSynced(root);
  const size = async (sha256: string) => {
    const found = await sizeOf(sha256);
    if (found !== undefined) await syncedOnce(place(sha256));
    return found;
  };
  async function* parts(sha256: string, wanted: BlobRange | undefined) {
    const found = await sizeOf(sha256);
    if (found === undefined) throw noSuchBlob();
    const range = rangeWithin(wanted, found);
    const isEmpty = range.end < range.start;
    const stream = isEmpty
      ? Readable.from([])
      : createReadStream(place(sha256), { ...range, highWaterMark: PART_BYTES });
    yield* verified(stream as AsyncIterable<Buffer>, { sha256, size: found, range });
  }
  return {
    create: () => blobWriter(new FileSink(root, place)),
    size,
    read: (sha256, range) => blobStream(() => parts(sha256, range)),
  };
}

const PART_BYTES = 256 << 10;
const MAX_KNOWN = 10_000;

/** Another process may have renamed it, or created its folder, and been killed before the sync. */
function onceSynced(root: string): (path: string) => Promise<void> {
  const known = new Set<string>();
  return async (path) => {
    if (known.has(path)) return;
    await syncFolder(dirname(path));
    await syncFolder(root);
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(path);
  };
}

class FileSink implements BlobSink {
  readonly #root: string;
  readonly #temporary: string;
  readonly #place: (sha256: string) => string;
  #file: FileHandle | undefined;

  constructor(root: string, place: (sha256: string) => string) {
    this.#root = root;
    this.#temporary = join(root, temporaryName());
    this.#place = place;
  }

  async append(chunk: Uint8Array): Promise<void> {
    const file = await this.#opened();
    await file.writeFile(chunk); // unlike write(), never partially
  }

  async publish({ sha256 }: BlobRef): Promise<void> {
    const file = await this.#opened();
    const folder = dirname(this.#place(sha256));
    await file.sync();
    await file.close();
    this.#file = undefined;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(this.#temporary, this.#place(sha256));
    await syncFolder(folder);
    await syncFolder(this.#root); // even if the folder existed: its creator may have been killed before the sync
  }

  async remove(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await unlink(this.#temporary);
  }

  async #opened(): Promise<FileHandle> {
    this.#file ??= await open(this.#temporary, "wx", 0o600);
    return this.#file;
  }
}
