// An SSE response as a subscriber: bounded memory and visible heartbeats; it is closed rather than left with a gap.
import type { FastifyReply } from "fastify";
import { BEATS_TO_STALL, toSubscriber } from "./subscriber.ts";
import type { Source, Subscriber, Tails } from "./tail.ts";

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

export type StreamOptions = {
  readonly source: Source;
  readonly after: number;
  /** What a dialect says while nothing happens; left out: our own visible heartbeat. */
  readonly beat?: () => string;
  /** Said before anything else. */
  readonly hello?: string;
};

export async function streamEvents(
  reply: FastifyReply,
  streams: Streams,
  { source, after, beat: say, hello }: StreamOptions,
): Promise<void> {
  const { raw } = reply;
  await source.check?.(); // while there still is an answer to give
  if (raw.destroyed) return void reply.hijack(); // gone before it began: nothing may be left behind
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  raw.writeHead(200, { ...headers, ...HEADERS });
  raw.socket?.setNoDelay(true);
  raw.socket?.setKeepAlive(true, 15_000);
  raw.flushHeaders();
  const subscriber = toSubscriber(raw, streams.heartbeatMs * BEATS_TO_STALL);
  streams.open.add(subscriber);
  const beat = async () => {
    if (say) return void subscriber.write(Buffer.from(say()));
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
    if (hello !== undefined) subscriber.write(Buffer.from(hello));
    await beat(); // at once: it tells the epoch, and how much is to come
    await streams.tails.subscribe(source, after, subscriber);
  } catch (error) {
    raw.destroy(); // the head is out: the client comes back with its cursor and gets the reason
    throw error;
  }
}
