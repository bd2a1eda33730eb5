// The history of a session in the feed's lines, in one HTTP body: a browser reads ten megabytes of it in a fifth of
// the time that a hundred socket messages take. A capable client gets the stored fold and what came since, and
// requests the events behind the fold later. Refusals and everything later come on the feed.
import type { FastifyReply } from "fastify";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Journal } from "../../journal/journal.ts";
import type { FeedFrame } from "../../api/records/feed.ts";
import { ApiError } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { heartbeat } from "./feed.ts";
import { pageSize } from "./pages.ts";
import { BEATS_TO_STALL, toSubscriber } from "./subscriber.ts";
import type { Subscriber } from "./tail.ts";

type HistoryDeps = Pick<AppDeps, "journal" | "streams" | "logError">;

const HEADERS = {
  "content-type": "application/x-ndjson; charset=utf-8",
  "cache-control": "no-store",
} as const;

export async function sendPast(
  deps: HistoryDeps,
  asked: Asked,
  reply: FastifyReply,
): Promise<void> {
  const { raw } = reply;
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  if (raw.destroyed) return;
  raw.writeHead(200, { ...headers, ...HEADERS });
  const subscriber = openTo(raw, deps);
  try {
    subscriber.write(lines([heartbeat(deps)]));
    await emitHistory(deps, asked, subscriber);
  } catch (error) {
    if (!(error instanceof ApiError)) deps.logError(error); // the journal has said what it refuses
  }
  subscriber.end(); // without `caught_up` where it ended early
}

/** Open until it ends, the token changes, or nobody takes anything. */
function openTo(raw: ServerResponse, { streams }: HistoryDeps): Subscriber {
  const stalledMs = streams.heartbeatMs * BEATS_TO_STALL;
  const subscriber = toSubscriber(raw, stalledMs);
  raw.setTimeout(stalledMs, () => raw.destroy());
  streams.open.add(subscriber);
  raw.once("close", () => streams.open.delete(subscriber));
  return subscriber;
}

type Asked = {
  readonly sessionId: string;
  readonly fold: number | null; // the reducer whose folds the reader can use
  readonly to: number | null; // only the events up to it
};

/** Everything up to the head as it is now, at the reader's pace. Throws what the journal refuses. */
async function emitHistory(
  { journal }: HistoryDeps,
  { sessionId, fold, to }: Asked,
  subscriber: Subscriber,
): Promise<void> {
  const session = await journal.reads.session(sessionId);
  if (!session) return;
  const emit = (after: number, until: number) =>
    emitEvents(journal, { sessionId, after, to: until }, subscriber);
  if (to !== null) return void (await emit(0, Math.min(to, session.seq)));
  const kept = fold === null ? undefined : await journal.reads.savedFold(sessionId, fold);
  const begun = kept && kept.seq <= session.seq ? kept.seq : 0;
  if (kept && begun > 0) {
    const frame = { feed: "fold", session_id: sessionId, session_seq: begun, reducer: fold };
    subscriber.write(Buffer.from(`${JSON.stringify(frame).slice(0, -1)},"folded":${kept.text}}\n`));
    await subscriber.drained(); // it may be larger than what is held for a reader
  }
  if (!(await emit(begun, session.seq))) return;
  const caughtUp = { feed: "caught_up", session_id: sessionId, session_seq: session.seq } as const;
  subscriber.write(lines([caughtUp]));
}

type Span = { readonly sessionId: string; readonly after: number; readonly to: number };

/** False when the reader is gone, or the journal has less than it said. */
async function emitEvents(
  journal: Journal,
  { sessionId, after, to }: Span,
  subscriber: Subscriber,
): Promise<boolean> {
  const size = pageSize();
  let emitted = after;
  while (emitted < to) {
    const page = await journal.readSession(sessionId, emitted, Math.min(size.limit, to - emitted));
    if (!page || page.rows.length === 0) return false;
    const bytes = Buffer.from(`${page.rows.map(([, , body]) => body).join("\n")}\n`);
    if (subscriber.closed || !subscriber.write(bytes)) return false;
    emitted += page.rows.length;
    size.learn({ count: page.rows.length, chars: bytes.byteLength });
    await subscriber.drained();
    await setImmediate(); // reading is synchronous: a long past must not hold up everyone else
  }
  return true;
}

function lines(frames: readonly FeedFrame[]): Buffer {
  return Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
}
