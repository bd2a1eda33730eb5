// A process that writes one blob after the other until it is killed, and reports its progress to its parent: before each
// blob, in the middle and after. With "wait" it stays in the middle of the first forever.
import { createHash } from "node:crypto";
import { Pool } from "pg";
import type { S3Options } from "../../../src/kernel/blobs/s3-requests.ts";
import { postgresBlobs } from "../../../src/kernel/blobs/postgres.ts";
import { s3Blobs } from "../../../src/kernel/blobs/s3.ts";
import { type BlobStore, blobStore } from "../../../src/kernel/blobs/blobs.ts";

export type WritingPlace =
  | { root: string }
  | { database: string }
  | { s3: S3Options & { spool?: string } };
export type WritingEmitted = { seed: number; sha256: string; bytes: number; isFinished: boolean };

export const BLOB_BYTES = 700_000;

/** The same content for the same seed, and different for any other. */
export function contentOf(seed: number, bytes: number): Buffer {
  const block = createHash("shake256", { outputLength: 65_537 }).update(`${seed}`).digest();
  return Buffer.alloc(bytes, block);
}

function storeAt(place: WritingPlace): BlobStore {
  if ("root" in place) return blobStore(place.root);
  if ("s3" in place) return s3Blobs(place.s3);
  return postgresBlobs(new Pool({ connectionString: place.database, max: 2 }));
}

async function writeOn(store: BlobStore, first: number, mode: string | undefined): Promise<never> {
  for (let seed = first; ; seed += 1) {
    const content = contentOf(seed, BLOB_BYTES);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const emit = (isFinished: boolean) =>
      process.send?.({ seed, sha256, bytes: BLOB_BYTES, isFinished } satisfies WritingEmitted);
    emit(false);
    const writer = store.create();
    await writer.write(content.subarray(0, BLOB_BYTES / 2));
    emit(false);
    if (mode === "wait") await new Promise(() => undefined);
    await writer.write(content.subarray(BLOB_BYTES / 2));
    await writer.finish();
    emit(true);
  }
}

const [place, seed, mode] = process.argv.slice(2);
if (import.meta.main && place !== undefined) {
  process.on("disconnect", () => process.exit());
  await writeOn(storeAt(JSON.parse(place) as WritingPlace), Number(seed), mode);
}
