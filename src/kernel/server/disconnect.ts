// Aborts what a request started when its client goes away: nobody searches, waits or pays for an answer that nobody reads.
import type { FastifyReply } from "fastify";

export function abortOnDisconnect({ raw }: Pick<FastifyReply, "raw">): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  if (raw.destroyed) gone.abort(); // it was closed before we listened, and `close` comes only once
  return gone.signal;
}
