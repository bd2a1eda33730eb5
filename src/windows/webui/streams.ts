// The browser's streams: one run; a session across its runs, with a snapshot where history cannot be replayed; and
// the session's channel.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import { turnStarted, webuiSessionDialect } from "./wire/session.ts";
import { ApiError, parse } from "../../kernel/events/errors.ts";
import { SessionId } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { streamEvents } from "../../kernel/server/feed/sse.ts";
import { findRun, windowSource } from "../../kernel/server/feed/window.ts";
import { findStream, streamIdOf } from "./chat.ts";
import { placeAcross } from "./place-across.ts";
import { acrossRuns, chatSource } from "./sources.ts";
import { beat, beating, cursorsIn, endOf, lastFrame, named, param, parseCursor } from "./wire.ts";

export function streamRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  const streams = beating(deps.streams);
  return async (app) => {
    app.get("/chat/stream", async (request, reply) => {
      const run = await findStream(journal, streamIdOf(request.query));
      const followed = run && (await findRun(journal, run.run_id));
      if (!followed) throw new ApiError("run_not_found", "Stream not found.");
      const { record, begin } = followed;
      const { run_id, session_id } = record;
      const done = await endOf(journal, record);
      const head = done?.session_seq ?? (await journal.reads.session(session_id))?.seq ?? 0;
      const after = placeInRun(request, { run_id, begin, newest: done ? head + 1 : head });
      // Everything was seen: 204 is how an EventSource learns not to come back.
      if (done && after > done.session_seq) return reply.status(204).send();
      const half = done !== undefined && after === done.session_seq;
      return streamEvents(reply, streams, {
        source: chatSource(journal, followed),
        after,
        beat,
        ...(half && { hello: lastFrame(run_id, done) }),
      });
    });

    app.get("/chat/session-events", async (request, reply) => {
      const session = await findSession(journal, request.query);
      const { session_id: sessionId } = session;
      const { after, hello } = await placeAcross(journal, session, cursorsIn(request));
      const source = acrossRuns(journal, sessionId);
      return streamEvents(reply, streams, { source, after, beat, hello });
    });

    app.get("/session/stream", async (request, reply) => {
      const session = await findSession(journal, request.query);
      const { session_id: sessionId, active_run_id, seq: head } = session;
      const source = windowSource(journal, {
        dialect: webuiSessionDialect,
        sessionId,
        text: ({ event, data }, { session_seq }) => named(event, data, `${session_seq}`),
      });
      const active = active_run_id === null ? undefined : await journal.reads.run(active_run_id);
      const live = active && turnStarted(active, { recovered: true });
      const hello = named("initial", {}) + (live ? named(live.event, live.data) : "");
      const after = newestIn(request, { stream: sessionId, from: 0, newest: head });
      return streamEvents(reply, streams, { source, after: after ?? head, beat, hello });
    });
  };
}

type Span = { readonly stream: string; readonly from: number; readonly newest: number };

/** The furthest of the places a client names that this stream has. */
function newestIn(request: FastifyRequest, { stream, from, newest }: Span): number | undefined {
  const places = cursorsIn(request).flatMap((text) => {
    const cursor = parseCursor(text);
    const ours = cursor && (cursor.stream === undefined || cursor.stream === stream);
    return ours && cursor.seq >= from && cursor.seq <= newest ? [cursor.seq] : [];
  });
  return places.length === 0 ? undefined : Math.max(...places);
}

/** A cursor that does not fit means the start: clients drop what they have by its id. */
function placeInRun(
  request: FastifyRequest,
  { run_id, begin, newest }: { run_id: string; begin: number; newest: number },
): number {
  return newestIn(request, { stream: run_id, from: begin, newest }) ?? begin;
}

async function findSession(journal: Journal, query: unknown) {
  const sessionId = param(query, "session_id");
  if (!sessionId) throw new ApiError("invalid_request", "session_id is required.");
  const session = await journal.reads.session(parse(SessionId, sessionId));
  if (!session) throw new ApiError("session_not_found", "Session not found.");
  return session;
}
