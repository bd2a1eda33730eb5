// The console's stream of one session: unnamed frames with `id: <session_seq>`. A client may open it before
// the session exists (the real one invents the id and sends its first message afterwards).
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { isRequestFrame, type ConsoleFrame } from "../wire/frame.ts";
import { ConsoleStream } from "../wire/bodies.ts";
import { consoleDialect } from "../wire/console.ts";
import { SessionId } from "../../../kernel/events/ids.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { streamEvents } from "../../../kernel/server/feed/sse.ts";
import { findRun, windowSource } from "../../../kernel/server/feed/window.ts";
import { ConsoleError, take } from "../envelopes.ts";
import { startOf } from "./cursor.ts";

const Params = z.object({ session_id: SessionId });

export function streamPages({ journal, streams }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/stream/session/:sessionId", async (request, reply) => {
      const { sessionId } = request.params as { sessionId: string };
      const { session_id } = take(Params, { session_id: sessionId });
      const query = take(ConsoleStream, request.query);
      const run = query.run_id ? await runOf(journal, session_id, query.run_id) : undefined;
      const session = await journal.reads.session(session_id);
      const head = { logId: session_id, epoch: journal.epoch, seq: session?.seq ?? 0 };
      const begun = session?.created_at ?? 0;
      const after = await startOf(journal, request, query, { ...head, begun });
      // Everything was seen: 204 is how an EventSource learns not to come back.
      if (run?.end !== undefined && after >= run.end) return reply.status(204).send();
      const source = windowSource(journal, {
        dialect: consoleDialect,
        sessionId: session_id,
        text: (frame, event) => `id: ${event.session_seq}\ndata: ${JSON.stringify(frame)}\n\n`,
        ...(run && { run, keep: ofRun(run.runId) }),
      });
      return streamEvents(reply, streams, { source, after, beat: beats(session_id, after) });
    });
  };
}

/**
 * In the envelope of every frame, under a type that clients do not know and pass over; `ping` is the real server's.
 * The first beat has an `id:` line: a client whose connection breaks before anything happened comes back with it, and
 * misses nothing that happened meanwhile.
 */
function beats(session_id: string, after: number): () => string {
  let line = `id: ${after}\n`;
  return () => {
    const now = Date.now();
    const about = { session_id, run_id: null, ts: new Date(now).toISOString(), payload: {} };
    const frame = { id: `ping:${now}`, type: "ping", ...about, ping: now / 1000 };
    const beat = `${line}data: ${JSON.stringify(frame)}\n\n`;
    line = "";
    return beat;
  };
}

/** The run's own frames, and what its subagents ask a person. */
function ofRun(runId: string): (frame: ConsoleFrame) => boolean {
  return (frame) => frame.run_id === runId || isRequestFrame(frame);
}

async function runOf(journal: Journal, session_id: string, run_id: string) {
  const found = await findRun(journal, run_id);
  if (found?.sessionId !== session_id) {
    const message = `The session ${session_id} has no run ${run_id}.`;
    throw new ConsoleError("run_not_found", message, { run_id, session_id });
  }
  const { begin, record } = found;
  const last =
    record.ended_at === null ? undefined : await journal.readRun(run_id, record.seq - 1, 1);
  return { runId: run_id, begin, end: last?.rows[0]?.[1] };
}
