// Shared by the writers of every blob store: one step at a time, a hash over everything, and no publishing after a step
// that failed, which would leave a hole.
import { createHash } from "node:crypto";

export type BlobRef = { readonly sha256: string; readonly bytes: number };

export interface BlobWriter {
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<BlobRef>;
  /** Discards what was written. Safe to call at any time, also after `finish`. */
  discard(): Promise<void>;
}

/** How a store writes. Its steps never overlap. */
export interface BlobSink {
  append(chunk: Uint8Array): Promise<void>;
  /** Durable and visible under its hash when this returns. */
  publish(ref: BlobRef): Promise<void>;
  /** Discards an unpublished blob. Called after a failed step, perhaps more than once. */
  remove(): Promise<void>;
}

export function blobWriter(sink: BlobSink): BlobWriter {
  const hash = createHash("sha256");
  let bytes = 0;
  let isOver = false;
  let isPublished = false;
  let before: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    const taken = before.then(step);
    before = taken.catch(() => undefined); // its caller has the error
    return taken;
  }

  // The caller of discard has a better error, and leftovers are swept.
  const remove = () => sink.remove().catch(() => undefined);

  async function orOver(step: () => Promise<void>): Promise<void> {
    if (isOver) throw new Error("This blob is finished, discarded or broken.");
    isOver = true;
    try {
      await step();
    } catch (error) {
      await remove();
      throw error;
    }
  }

  return {
    write: (chunk) =>
      inTurn(async () => {
        await orOver(() => sink.append(chunk));
        isOver = false;
        hash.update(chunk);
        bytes += chunk.byteLength;
      }),
    finish: () =>
      inTurn(async () => {
        let ref: BlobRef | undefined;
        await orOver(() => sink.publish((ref = { sha256: hash.digest("hex"), bytes })));
        isPublished = true;
        return ref as BlobRef;
      }),
    discard: () =>
      inTurn(async () => {
        isOver = true;
        if (!isPublished) await remove();
      }),
  };
}
