// Reports the newest output of a background process while it runs: at most twice a second, later less often. The rest
// stays in its ring. A slow runner gets less, never later: nothing queues up here.
import { setTimeout as wait } from "node:timers/promises";
import type { OutputRing } from "./output-ring.ts";

export type Piece = {
  /** Bytes that were printed before it; more than were told means that some were left out. */
  readonly offset: number;
  /** Bytes that were printed in all; the piece ends there. */
  readonly total: number;
  readonly data: Buffer;
};
export type LiveOutput = {
  /** Something was added to the ring. */
  printed(): void;
  /** Tells the end of it; settles when that is on its way. */
  finish(): Promise<void>;
};
export type Pace = {
  readonly soonMs: number;
  readonly everyMs: number;
  readonly pieceBytes: number;
  /** As much as is told at that pace; then it is `slow`. */
  readonly enoughBytes: number;
  readonly slowMs: number;
  readonly slowBytes: number;
};

export const PACE: Pace = {
  soonMs: 100,
  everyMs: 500,
  pieceBytes: 8 * 1024,
  enoughBytes: 1 << 20,
  slowMs: 30_000,
  slowBytes: 1_024,
};

/** `emit` must not reject; it settles when there is room for the next piece. */
export function liveOutput(
  log: OutputRing,
  emit: (piece: Piece) => Promise<void>,
  pace: Pace = PACE,
): LiveOutput {
  const over = new AbortController();
  let [emitted, spent] = [0, 0];
  let last = Number.NEGATIVE_INFINITY;
  let emitting: Promise<void> | undefined;

  async function emitNewest(most: number): Promise<void> {
    const { total } = log;
    if (total === emitted) return;
    const { from, bytes } = log.slice(Math.max(emitted, total - most), most);
    emitted = total;
    spent += bytes.length;
    await emit({ offset: from, total, data: Buffer.from(bytes) });
    last = performance.now();
  }

  async function keepEmitting(): Promise<void> {
    while (emitted < log.total && !over.signal.aborted) {
      const isMuch = spent >= pace.enoughBytes;
      const due = last + (isMuch ? pace.slowMs : pace.everyMs) - performance.now();
      const pause = wait(Math.max(pace.soonMs, due), undefined, {
        signal: over.signal,
        ref: false,
      });
      const isDue = await pause.then(
        () => true,
        () => false,
      );
      if (isDue) await emitNewest(isMuch ? pace.slowBytes : pace.pieceBytes);
    }
  }

  return {
    printed() {
      emitting ??= keepEmitting().finally(() => (emitting = undefined));
    },
    async finish() {
      over.abort();
      await emitting;
      await emitNewest(pace.pieceBytes);
    },
  };
}
