// Long polling: returns what there is after a cursor, or the first events that arrive in time. While it waits, the
// poller is a subscriber like any other.
import type { Source, Subscriber, Tails } from "./tail.ts";

export type Collecting = {
  readonly after: number;
  readonly waitMs: number;
  /** The poller has gone away. */
  readonly gone: AbortSignal;
};

const MAX_BYTES = 1_048_576; // bytes; what is left is for the next time

/** Chunks as the source packs them, so many that it is enough; none when nothing came in time. */
export async function collect(
  tails: Tails,
  source: Source,
  { after, waitMs, gone }: Collecting,
): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let closed = false;
  const isClosed = () => closed || gone.aborted || bytes >= MAX_BYTES;
  const something = Promise.withResolvers<void>();
  const subscriber: Subscriber = {
    write(chunk) {
      if (isClosed()) return false;
      chunks.push(chunk);
      bytes += chunk.byteLength;
      something.resolve();
      return !isClosed();
    },
    drained: async () => undefined,
    end: () => something.resolve(),
    get closed() {
      return isClosed();
    },
  };
  const timer = setTimeout(() => something.resolve(), waitMs);
  gone.addEventListener("abort", () => something.resolve());
  try {
    await tails.subscribe(source, after, subscriber);
    if (chunks.length === 0 && !gone.aborted) await something.promise;
    return chunks;
  } finally {
    closed = true;
    clearTimeout(timer);
  }
}
