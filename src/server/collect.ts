// A window for those who poll: what there is after a cursor, or the first that comes within a while.
// The poller is a subscriber like any other, for as long as it waits.
import type { Source, Subscriber, Tails } from "./tail.ts";

export type Collecting = {
  readonly after: number;
  readonly waitMs: number;
  /** The poller has gone away. */
  readonly gone: AbortSignal;
};

/** Chunks as the source packs them; none when nothing came in time. */
export async function collect(
  tails: Tails,
  source: Source,
  { after, waitMs, gone }: Collecting,
): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let closed = false;
  const something = Promise.withResolvers<void>();
  const subscriber: Subscriber = {
    write(chunk) {
      chunks.push(chunk);
      something.resolve();
      return !closed;
    },
    drained: async () => undefined,
    end: () => something.resolve(),
    get closed() {
      return closed;
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
