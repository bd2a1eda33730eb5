// Outputs too large for an event, by the SHA-256 of their content. A blob is complete and synced
// before the event that names it is appended; until then it has a temporary name.
import { createHash, randomUUID, type Hash } from "node:crypto";
import { createReadStream, mkdirSync } from "node:fs";
import { mkdir, open, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";

export type BlobRef = { readonly sha256: string; readonly bytes: number };

export interface BlobWriter {
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<BlobRef>;
  /** Forgets what was written. Safe to call at any time, also after `finish`. */
  discard(): Promise<void>;
}

export interface BlobStore {
  create(): BlobWriter;
  size(sha256: string): Promise<number | undefined>;
  read(sha256: string, range?: { start: number; end: number }): Readable;
}

export function blobStore(root: string): BlobStore {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const place = (sha256: string) => join(root, sha256.slice(0, 2), sha256);
  return {
    create: () => new FileBlobWriter(root, place),
    async size(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
      return (await stat(place(sha256)).catch(() => undefined))?.size;
    },
    read: (sha256, range) => createReadStream(place(sha256), range),
  };
}

class FileBlobWriter implements BlobWriter {
  readonly #temporary: string;
  readonly #place: (sha256: string) => string;
  readonly #hash: Hash = createHash("sha256");
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(root: string, place: (sha256: string) => string) {
    this.#temporary = join(root, `${randomUUID()}.tmp`);
    this.#place = place;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#file ??= await open(this.#temporary, "wx", 0o600);
    await this.#file.write(chunk);
    this.#hash.update(chunk);
    this.#bytes += chunk.byteLength;
  }

  async finish(): Promise<BlobRef> {
    this.#file ??= await open(this.#temporary, "wx", 0o600);
    const sha256 = this.#hash.digest("hex");
    const target = this.#place(sha256);
    await this.#file.sync();
    await this.#file.close();
    this.#file = undefined;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(this.#temporary, target);
    await using directory = await open(dirname(target));
    await directory.sync();
    return { sha256, bytes: this.#bytes };
  }

  async discard(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await unlink(this.#temporary).catch(() => undefined);
  }
}
