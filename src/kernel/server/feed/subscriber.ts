// One connection as a subscriber of tails: bounded memory; it is closed rather than left with a gap.
import type { Writable } from "node:stream";
import type { Subscriber } from "./tail.ts";

const MAX_UNSENT = 1_048_576;
/** After so many heartbeats without taking a byte a reader is gone, whatever its socket says. */
export const BEATS_TO_STALL = 3;

/** How a connection is ended in order, and whether that has begun. */
type Ending = { readonly end: () => void; readonly isOpen: () => boolean };

export function toSubscriber(
  raw: Writable,
  stalledMs: number,
  { end, isOpen }: Ending = { end: () => void raw.end(), isOpen: () => true },
): Subscriber {
  let unsent = 0; // writes the kernel has not taken yet
  let waitingSince = 0;
  return {
    get closed() {
      return raw.destroyed || raw.writableEnded || !isOpen();
    },
    write(chunk) {
      if (raw.destroyed || !isOpen()) return false;
      const now = performance.now();
      const stalled = unsent > 0 && now - waitingSince > stalledMs;
      // Looked at before writing: a single event may be larger than the limit and has to get through.
      if (stalled || raw.writableLength > MAX_UNSENT) {
        raw.destroy(); // drop the connection, never a frame
        return false;
      }
      if (raw.writableEnded) return false;
      if (unsent === 0) waitingSince = now;
      unsent += 1;
      raw.write(chunk, () => {
        unsent -= 1;
        waitingSince = performance.now();
      });
      return true;
    },
    async drained() {
      if (raw.destroyed || !raw.writableNeedDrain) return;
      await new Promise<void>((resolve) => {
        const settle = () => {
          raw.off("drain", settle).off("close", settle);
          resolve();
        };
        raw.on("drain", settle).on("close", settle);
      });
    },
    end,
  };
}
