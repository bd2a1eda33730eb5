// Whether the server's database responds, according to the feed's heartbeats.
import type { FeedLine, OpenFeedSocket } from "../kernel/client/feed-socket.ts";
import { immediately, createListeners } from "../kernel/client/listeners.ts";

export type StorageAway = {
  readonly getAway: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
};

/** The same socket, observed. */
export function watchStorage(open: OpenFeedSocket): { open: OpenFeedSocket; storage: StorageAway } {
  const listeners = createListeners(immediately);
  let away = false;
  const look = (lines: readonly FeedLine[]) => {
    const beat = lines.findLast((line) => "feed" in line && line.feed === "heartbeat");
    if (!beat || !("feed" in beat) || beat.feed !== "heartbeat") return;
    if (away === Boolean(beat.away)) return;
    away = !away;
    listeners.notify();
  };
  return {
    storage: { getAway: () => away, subscribe: listeners.subscribe },
    open: async (signal) => {
      const socket = await open(signal);
      return {
        send: socket.send,
        async *[Symbol.asyncIterator]() {
          for await (const lines of socket) {
            look(lines);
            yield lines;
          }
        },
      };
    },
  };
}
