// The past of a session as the feed tells it, in one HTTP body that ends: a browser takes ten megabytes of
// it in a fifth of the time it needs for a hundred messages of a socket. Why something is not told, and
// everything that happens later, is said on the feed.
import type { FastifyPluginAsync } from "fastify";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { FeedFrame } from "../protocol/api-records-feed.ts";
import { ApiError } from "../protocol/errors.ts";
import type { AppDeps } from "./app.ts";
import { heartbeat } from "./feed.ts";
import { pageSize } from "./pages.ts";
import { sessionIdOf } from "./routes/replies.ts";
import { BEATS_TO_STALL, toSubscriber } from "./subscriber.ts";
import type { Subscriber } from "./tail.ts";

type PastDeps = Pick<AppDeps, "journal" | "streams" | "logError">;

const HEADERS = {
  "content-type": "application/x-ndjson; charset=utf-8",
  "cache-control": "no-store",
} as const;

export function pastRoutes(deps: PastDeps): FastifyPluginAsync {
  const { logError } = deps;
  return async (app) => {
    app.get("/sessions/:sessionId/past", async ({ params }, reply) => {
      const sessionId = sessionIdOf(params);
      const { raw } = reply;
      const headers = reply.getHeaders() as Record<string, string>;
      reply.hijack();
      if (raw.destroyed) return;
      raw.writeHead(200, { ...headers, ...HEADERS });
      const subscriber = openTo(raw, deps);
      try {
        subscriber.write(lines([heartbeat(deps)]));
        await tellPast(deps, sessionId, subscriber);
      } catch (error) {
        if (!(error instanceof ApiError)) logError(error); // the journal has said what it refuses
      }
      subscriber.end(); // without `caught_up` where it ended early
    });
  };
}

/** Open until it ends, the token changes, or nobody takes anything. */
function openTo(raw: ServerResponse, { streams }: PastDeps): Subscriber {
  const stalledMs = streams.heartbeatMs * BEATS_TO_STALL;
  const subscriber = toSubscriber(raw, stalledMs);
  raw.setTimeout(stalledMs, () => raw.destroy());
  streams.open.add(subscriber);
  raw.once("close", () => streams.open.delete(subscriber));
  return subscriber;
}

/** Everything up to the head as it is now, at the reader's pace. Throws what the journal refuses. */
async function tellPast(
  { journal }: PastDeps,
  sessionId: string,
  subscriber: Subscriber,
): Promise<void> {
  const session = await journal.session(sessionId);
  if (!session) return;
  const size = pageSize();
  let told = 0;
  while (told < session.seq) {
    const page = await journal.readSession(
      sessionId,
      told,
      Math.min(size.limit, session.seq - told),
    );
    if (!page || page.rows.length === 0) return;
    const bytes = Buffer.from(`${page.rows.map(([, , body]) => body).join("\n")}\n`);
    if (subscriber.closed || !subscriber.write(bytes)) return;
    told += page.rows.length;
    size.learn({ count: page.rows.length, chars: bytes.byteLength });
    await subscriber.drained();
    await setImmediate(); // reading is synchronous: a long past must not hold up everyone else
  }
  subscriber.write(lines([{ feed: "caught_up", session_id: sessionId, session_seq: told }]));
}

function lines(frames: readonly FeedFrame[]): Buffer {
  return Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
}
