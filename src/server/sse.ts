// One SSE response as a subscriber: bounded memory, visible heartbeats, closed rather than holed.
import type { FastifyReply } from "fastify";
import type { Source, Subscriber, Tails } from "./tail.ts";

const MAX_UNSENT = 1_048_576;
/** After so many heartbeats without taking a byte a reader is gone, whatever its socket says. */
const BEATS_TO_STALL = 3;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  connection: "keep-alive",
  "x-accel-buffering": "no",
} as const;

export type Streams = {
  tails: Tails;
  heartbeatMs: number;
  epoch: string;
  /** Every open response, so that a rotated token can close them. */
  open: Set<Subscriber>;
};

export async function streamEvents(
  reply: FastifyReply,
  streams: Streams,
  { source, after }: { source: Source; after: number },
): Promise<void> {
  const { raw } = reply;
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  raw.writeHead(200, { ...headers, ...HEADERS });
  raw.socket?.setNoDelay(true);
  raw.socket?.setKeepAlive(true, 15_000);
  raw.flushHeaders();
  const subscriber = toSubscriber(raw, streams.heartbeatMs * BEATS_TO_STALL);
  streams.open.add(subscriber);
  const beat = async () => {
    const data = { epoch: streams.epoch, head: await source.head(), at: Date.now() / 1000 };
    subscriber.write(Buffer.from(`event: heartbeat\ndata: ${JSON.stringify(data)}\n\n`));
  };
  const beating = setInterval(() => {
    beat().catch(() => raw.destroy());
  }, streams.heartbeatMs);
  raw.once("close", () => {
    clearInterval(beating);
    streams.open.delete(subscriber);
  });
  try {
    await beat(); // at once: it tells the epoch, and how much is to come
    await streams.tails.subscribe(source, after, subscriber);
  } catch (error) {
    raw.destroy(); // the head is out: the client comes back with its cursor and gets the reason
    throw error;
  }
}

function toSubscriber(raw: FastifyReply["raw"], stalledMs: number): Subscriber {
  let unsent = 0; // writes the kernel has not taken yet
  let waitingSince = 0;
  return {
    get closed() {
      return raw.destroyed || raw.writableEnded;
    },
    write(chunk) {
      if (raw.destroyed) return false;
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
    end: () => void raw.end(),
  };
}
