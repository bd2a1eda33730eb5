// One SSE response as a subscriber: bounded memory, visible heartbeats, closed rather than holed.
import type { FastifyReply } from "fastify";
import type { Source, Subscriber, Tails } from "./tail.ts";

const MAX_UNSENT = 1_048_576;

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
  const subscriber = toSubscriber(raw);
  streams.open.add(subscriber);
  const beat = setInterval(() => {
    const data = JSON.stringify({ epoch: streams.epoch, at: Date.now() / 1000 });
    subscriber.write(Buffer.from(`event: heartbeat\ndata: ${data}\n\n`));
  }, streams.heartbeatMs);
  raw.once("close", () => {
    clearInterval(beat);
    streams.open.delete(subscriber);
  });
  try {
    await streams.tails.subscribe(source, after, subscriber);
  } catch (error) {
    raw.destroy(); // the head is out: the client comes back with its cursor and gets the reason
    throw error;
  }
}

function toSubscriber(raw: FastifyReply["raw"]): Subscriber {
  return {
    get closed() {
      return raw.destroyed || raw.writableEnded;
    },
    write(chunk) {
      if (raw.destroyed || raw.writableEnded) return false;
      raw.write(chunk);
      if (raw.writableLength <= MAX_UNSENT) return true;
      raw.destroy(); // drop the connection, never a frame
      return false;
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
