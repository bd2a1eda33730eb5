// The feed: one socket per tab, on which it follows any number of sessions and the session list. The tab holds every
// cursor; the server remembers nothing between sockets.
import type { FastifyError } from "fastify";
import { FeedRequest, type FeedFrame } from "../../api/records/feed.ts";
import type { Journal, JournalReads, StoredRow } from "../../journal/journal.ts";
import { checkCursor } from "../../events/cursor.ts";
import { ApiError, parse } from "../../events/errors.ts";
import { HASH_VERSION } from "../../state/fold-hash.ts";
import { REDUCER_VERSION } from "../../events/version.ts";
import { parseMessage } from "../json-body.ts";
import { toErrorResponse } from "../error-response.ts";
import type { AppDeps } from "../app.ts";
import { openSessionList } from "./sessions/list.ts";
import { noSession } from "../routes/replies.ts";
import { sessionFolds, type SessionFolds } from "./sessions/folds.ts";
import { type Socket, type SocketRoute, packMessages } from "./sockets.ts";
import type { Subscriber, Source } from "./tail.ts";

type FeedDeps = Pick<AppDeps, "journal" | "streams" | "logError">;
type WatchRequest = Extract<FeedRequest, { type: "watch" }>;
const MAX_WATCHES = 16;
const MAX_ASKED = 256; // while one past is told; a tab asks when something changes
const VERSIONS = { reducer: REDUCER_VERSION, hash_version: HASH_VERSION };

export function feedSockets(deps: FeedDeps): readonly SocketRoute[] {
  const failed = (error: unknown) => {
    if (!(error instanceof ApiError)) deps.logError(error); // the journal has said what it refuses
  };
  const folds = sessionFolds(deps.journal, { everyMs: deps.streams.heartbeatMs, failed });
  const board = openSessionList(deps.journal, deps.logError);
  const beats = new Set<() => void>();
  whenAwayChanges(deps.journal, () => {
    for (const beat of beats) beat();
  });
  const open: SocketRoute["open"] = (socket, { query }) => {
    const beat = () => socket.send(heartbeat(deps));
    beat();
    beats.add(beat);
    const beating = setInterval(beat, deps.streams.heartbeatMs);
    socket.gone.addEventListener("abort", () => {
      clearInterval(beating);
      beats.delete(beat);
    });
    if (query.get("board") === "1") {
      board.join(socket.subscriber, socket.gone).catch((error: unknown) => {
        deps.logError(error);
        socket.close(1011, "internal error");
      });
    }
    return takeFrom(socket, { watches: feedWatches(deps, folds, socket), beat });
  };
  return [{ path: "/api/feed", auth: "header", open }];
}

type Taking = { readonly watches: Watches; readonly beat: () => void };

function takeFrom(socket: Socket, { watches, beat }: Taking): (text: string) => void {
  return (text) => {
    try {
      const request = parse(FeedRequest, parseMessage(text));
      if (request.type === "watch") watches.open(request);
      else if (request.type === "unwatch") watches.close(request.session_id);
      else beat();
    } catch (error) {
      socket.send(refused({ session_id: null, mark: null }, error));
    }
  };
}

type Watches = { open(request: WatchRequest): void; close(sessionId: string): void };
type Watch = { readonly request: WatchRequest; readonly stop: AbortController; position: number };

function feedWatches(deps: FeedDeps, folds: SessionFolds, socket: Socket): Watches {
  const open = new Map<string, Watch>();
  const emitLater = oneAfterTheOther(follow);

  const close = (sessionId: string) => {
    open.get(sessionId)?.stop.abort();
    open.delete(sessionId);
  };
  async function follow(watch: Watch): Promise<void> {
    const { request, stop } = watch;
    if (stop.signal.aborted || socket.gone.aborted) return;
    try {
      await emit(watch);
    } catch (error) {
      if (stop.signal.aborted) return;
      if (toErrorResponse(error as FastifyError).code === "internal") deps.logError(error);
      close(request.session_id);
      socket.send(refused(request, error));
    }
  }

  async function emit(watch: Watch): Promise<void> {
    const { journal, streams } = deps;
    const { session_id, after, mark, epoch } = watch.request;
    const session = await journal.reads.session(session_id);
    if (!session) throw new ApiError("session_not_found", noSession(session_id).message);
    checkCursor(
      { seq: after, epoch },
      { logId: session_id, epoch: journal.epoch, seq: session.seq },
    );
    const source = feedSource(journal, session_id, (row) => folds.tap(session_id, row));
    if (watch.stop.signal.aborted) return;
    send(socket, { feed: "watching", session_id, mark, head: session.seq });
    await streams.tails.subscribe(source, after, subscriberOf(socket, watch));
    if (watch.stop.signal.aborted || socket.gone.aborted) return;
    send(socket, { feed: "caught_up", session_id, session_seq: watch.position });
    const leave = folds.join(session_id, {
      get position() {
        return watch.position;
      },
      emit: (state) => send(socket, { feed: "state", session_id, ...state, ...VERSIONS }),
    });
    AbortSignal.any([watch.stop.signal, socket.gone]).addEventListener("abort", leave);
  }

  return {
    close,
    open(request) {
      close(request.session_id); // the newest counts
      if (open.size >= MAX_WATCHES) {
        const problem = `A feed follows at most ${MAX_WATCHES} sessions.`;
        return socket.send(refused(request, new ApiError("invalid_request", problem)));
      }
      const watch: Watch = { request, stop: new AbortController(), position: request.after };
      open.set(request.session_id, watch);
      if (emitLater(watch) > MAX_ASKED) socket.close(1008, "too many requests");
    },
  };
}

/**
 * One past after the other: each fills the socket as far as it may be filled. Of each session only the newest
 * waits, or a peer that asks and does not read would fill the memory. Says how many came since the last began.
 */
function oneAfterTheOther(follow: (watch: Watch) => Promise<void>): (watch: Watch) => number {
  const waiting = new Map<string, Watch>();
  let [busy, asked] = [false, 0];
  const work = async () => {
    busy = true;
    for (const [sessionId, watch] of waiting) {
      waiting.delete(sessionId);
      asked = 0;
      await follow(watch);
    }
    busy = false;
  };
  return (watch) => {
    waiting.set(watch.request.session_id, watch);
    asked += 1;
    if (!busy) void work();
    return asked;
  };
}

/** The socket, for one of the sessions on it. Unreadable ends all of them: they come back and hear why. */
function subscriberOf({ subscriber }: Socket, watch: Watch): Subscriber {
  return {
    get closed() {
      return watch.stop.signal.aborted || subscriber.closed;
    },
    write(chunk) {
      if (watch.stop.signal.aborted) return false;
      watch.position = lastSeqIn(chunk);
      return subscriber.write(chunk);
    },
    drained: () => subscriber.drained(),
    end: () => subscriber.end(),
  };
}

const send = (socket: Socket, frame: FeedFrame) => socket.send(frame);

export function heartbeat({ journal, streams }: Pick<FeedDeps, "journal" | "streams">): FeedFrame {
  const { away } = journal.storage();
  return { feed: "heartbeat", epoch: streams.epoch, at: Date.now() / 1000, away };
}

const LOOK_MS = 1_000;

/** Nobody should believe for a whole beat that what they see is the present. */
function whenAwayChanges(journal: Pick<Journal, "storage">, changed: () => void): void {
  let known = journal.storage().away;
  setInterval(() => {
    const { away } = journal.storage();
    if (away?.since === known?.since) return;
    known = away;
    changed();
  }, LOOK_MS).unref();
}

type About = { readonly session_id: string | null; readonly mark: number | null };

function refused({ session_id, mark }: About, error: unknown): FeedFrame {
  const { code, status, envelope } = toErrorResponse(error as FastifyError);
  const { message, details } = envelope.error;
  return { feed: "refused", session_id, mark, code, status, message, details };
}

// A session as the feed tells it: stored bytes, one event a line, many lines a message. A browser pays for
// every message; a past of thousands of events comes in a hundred.
/** `tap`: sees every row that happens while somebody follows, once and in order. Must not throw. */
function feedSource(
  journal: JournalReads,
  sessionId: string,
  tap: (row: StoredRow) => void,
): Source {
  return {
    key: `feed ${sessionId}`,
    wokenBy: { sessionId },
    read: (after, limit) => journal.readSession(sessionId, after, limit),
    async replay(after, limit) {
      const page = await journal.readSession(sessionId, after, limit);
      if (!page) return undefined;
      const { rows, head } = page;
      const bytes = rows.length === 0 ? NOTHING : packLines(rows.map(([, , body]) => body));
      return { bytes, count: rows.length, to: after + rows.length, head, ended: false };
    },
    head: async () => (await journal.reads.session(sessionId))?.seq ?? 0,
    position: ([, sessionSeq]) => sessionSeq,
    enter: (after) => ({
      from: after,
      framing: (row) => {
        tap(row);
        return [row[2]];
      },
    }),
    pack: packLines,
    ends: () => false, // a session can always go on
  };
}

const NOTHING = Buffer.alloc(0);

/** Events as one message. Which of them is the last is remembered: a chunk is told by its bytes alone. */
function packLines(bodies: readonly string[]): Buffer {
  const chunk = packMessages([bodies.join("\n")]);
  lastIn.set(chunk, sessionSeqOf(bodies.at(-1) ?? ""));
  return chunk;
}

const lastIn = new WeakMap<Buffer, number>();
const lastSeqIn = (chunk: Buffer): number => lastIn.get(chunk) ?? 0;

// Ids hold no quotes, so the first `,"session_seq":` of the stored bytes is the envelope's own.
const BEFORE = ',"session_seq":';
function sessionSeqOf(body: string): number {
  return Number.parseInt(body.slice(body.indexOf(BEFORE) + BEFORE.length), 10);
}
