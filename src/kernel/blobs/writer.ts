// What every blob store's writers have in common: one step at a time, a hash over everything, and
// nothing published after a step that failed, or it would have a hole.
import { createHash } from "node:crypto";

export type BlobRef = { readonly sha256: string; readonly bytes: number };

export interface BlobWriter {
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<BlobRef>;
  /** Forgets what was written. Safe to call at any time, also after `finish`. */
  discard(): Promise<void>;
}

/** Where a store puts what is written. Its steps never overlap. */
export interface BlobSink {
  append(chunk: Uint8Array): Promise<void>;
  /** Durable and visible under its hash when this returns. */
  publish(ref: BlobRef): Promise<void>;
  /** Of what was not published. After a step that failed, and perhaps again. */
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

  // Whoever discards has a better error to tell, and leftovers are swept.
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
