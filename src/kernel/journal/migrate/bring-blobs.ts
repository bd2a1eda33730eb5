// Copies the contents that events name from one store to the other. Each is read completely, so its hash is checked, and
// the target's writer must give it the same name.
import type { BlobStore } from "../../blobs/blobs.ts";
import { EVENT_CELLS } from "./check-events.ts";
import type { Cells } from "./ends.ts";
import { MigrationError } from "./ends.ts";

// An output that is completely in its event may have a hash without a blob.
const NAMED = /"sha256":"([0-9a-f]{64})"(?!,"truncated":false)|"manifest":"([0-9a-f]{64})"/g;
const BODY = 6; // its place in EVENT_COLUMNS
const AT_ONCE = 6; // a file takes its time to be synced

export type Named = { readonly blobs: Set<string>; readonly manifests: Set<string> };

export function namedIn(batch: readonly Cells[], { blobs, manifests }: Named): void {
  for (const row of batch) {
    for (const [, sha256, manifest] of EVENT_CELLS.of(row)[BODY].matchAll(NAMED)) {
      if (manifest !== undefined) manifests.add(manifest);
      blobs.add(sha256 ?? manifest ?? "");
    }
  }
}

export type Stores = { readonly from: BlobStore; readonly to: BlobStore };
export type BringingBlobs = Stores & {
  readonly keepDamaged: boolean;
  readonly signal: AbortSignal | undefined;
  readonly brought: (count: number) => void;
};
export type BlobsBrought = {
  readonly blobs: number;
  /** Contents that events name and the source does not have. */
  readonly absent: number;
  readonly damaged: readonly string[];
};

export async function bringBlobs(named: Named, deps: BringingBlobs): Promise<BlobsBrought> {
  const { from, signal, keepDamaged } = deps;
  for (const sha256 of named.manifests) await addListed(from, sha256, named.blobs);
  const waiting = named.blobs.values();
  const done = { blobs: 0, absent: 0, damaged: [] as string[] };
  const work = async () => {
    for (const sha256 of waiting) {
      signal?.throwIfAborted();
      const size = await from.size(sha256);
      if (size === undefined) {
        done.absent += 1;
        continue;
      }
      const problem = await bring(sha256, size, deps);
      if (problem === undefined) deps.brought((done.blobs += 1));
      else if (keepDamaged) done.damaged.push(sha256);
      else throw new MigrationError(`${problem} ${KEEP}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
}

export const KEEP = "Restore it from a backup, or leave it as it is with --keep-damaged.";

/** Why it cannot be read; undefined if it can. */
async function bring(
  sha256: string,
  size: number,
  { from, to, signal }: BringingBlobs,
): Promise<string | undefined> {
  if ((await to.size(sha256)) === size) return undefined; // from before an interruption
  const writer = to.create();
  try {
    const parts = from.read(sha256)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      const part = await parts.next().catch((error: unknown) => error as Error);
      if (part instanceof Error) return part.message;
      if (part.done) break;
      signal?.throwIfAborted();
      await writer.write(part.value);
    }
    const ref = await writer.finish();
    if (ref.sha256 === sha256 && ref.bytes === size) return undefined;
    throw new MigrationError(`Blob ${sha256.slice(0, 16)} was changed on the way. Try again.`);
  } finally {
    await writer.discard();
  }
}

/** A checkpoint's list names the contents of a workspace's files. */
async function addListed(from: BlobStore, sha256: string, blobs: Set<string>): Promise<void> {
  if ((await from.size(sha256)) === undefined) return; // reported with all that are absent
  let text = "";
  try {
    for await (const part of from.read(sha256).setEncoding("utf8")) text += part as string;
    const { files } = JSON.parse(text) as { files: [path: string, sha256: string | null][] };
    for (const [, each] of files) if (each !== null) blobs.add(each);
  } catch {
    // Damaged: it is read again when it is copied, and reported then.
  }
}
