// Notifies browsers that their session list is out of date. A wake-up is a hint: the journal's row of each session is
// compared, so that streamed text does not look like a change.
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import type { Journal, Wake } from "../../kernel/journal/journal.ts";
import type { SessionSummary } from "../../kernel/api/records/records.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import type { Streams } from "../../kernel/server/feed/sse.ts";
import { BEATS_TO_STALL, toSubscriber } from "../../kernel/server/feed/subscriber.ts";
import { beat, beating, named } from "./wire.ts";

const SETTLE_MS = 200;
const MAX_KNOWN = 2_000;

export function sessionsChangedRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal, logError } = deps;
  const streams = beating(deps.streams);
  const listeners = new Set<(text: string) => void>();
  let watching: Promise<() => void> | undefined;

  async function join(write: (text: string) => void): Promise<void> {
    listeners.add(write);
    await (watching ??= watchLists(journal, { emitted: emit, failed: logError }));
  }
  function leave(write: (text: string) => void): void {
    listeners.delete(write);
    if (listeners.size > 0) return;
    watching?.then((stop) => stop()).catch(logError);
    watching = undefined;
  }

  return async (app) => {
    app.get("/sessions/events", async (_request, reply) => {
      const stream = open(reply, streams, leave);
      try {
        await join(stream.write);
        stream.write(beat()); // from here on nothing is missed
      } catch (error) {
        reply.raw.destroy();
        throw error;
      }
    });
  };

  function emit(session_id: string, profile: string | null): void {
    const text = named("sessions_changed", { session_id, profile });
    for (const write of listeners) write(text);
  }
}

/** A stream that follows no log. */
function open(
  reply: FastifyReply,
  streams: Streams,
  leave: (write: (text: string) => void) => void,
): { write: (text: string) => void } {
  const { raw } = reply;
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  raw.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    connection: "keep-alive",
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  const subscriber = toSubscriber(raw, streams.heartbeatMs * BEATS_TO_STALL);
  const write = (text: string) => void subscriber.write(Buffer.from(text));
  streams.open.add(subscriber);
  const beats = setInterval(() => write(beat()), streams.heartbeatMs);
  raw.once("close", () => {
    clearInterval(beats);
    streams.open.delete(subscriber);
    leave(write);
  });
  return { write };
}

type Watching = {
  readonly emitted: (sessionId: string, profile: string | null) => void;
  readonly failed: (error: unknown) => void;
};

/** One reader for any number of pages, and none while nobody looks. */
async function watchLists(journal: Journal, { emitted, failed }: Watching): Promise<() => void> {
  const rows = new Map<string, string>(); // what was last told of a session
  const dirty = new Set<string>();
  let all = false;
  let timer: NodeJS.Timeout | undefined;
  let heads: ReadonlyMap<string, number> = new Map();

  async function settle(): Promise<void> {
    if (all) {
      all = false;
      const now = await journal.reads.sessionHeads();
      for (const [id, seq] of now) if (heads.get(id) !== seq) dirty.add(id);
      for (const id of heads.keys()) if (!now.has(id)) dirty.add(id);
      heads = now;
    }
    for (const id of dirty) {
      dirty.delete(id);
      const session = await journal.reads.sessionSummary(id);
      const row = session ? rowOf(session) : "";
      if (rows.get(id) === row) continue;
      if (rows.size >= MAX_KNOWN) rows.clear(); // then something is told once too often
      rows.set(id, row);
      emitted(id, session?.profile ?? null);
    }
  }

  function heard(wake: Wake | "all"): void {
    if (wake === "all") all = true;
    else dirty.add(wake.sessionId);
    timer ??= setTimeout(() => {
      timer = undefined;
      settle().catch(failed);
    }, SETTLE_MS).unref();
  }

  const unwatch = journal.watch(heard); // before the heads: what comes between is heard
  const stop = () => {
    unwatch();
    clearTimeout(timer);
  };
  try {
    heads = await journal.reads.sessionHeads();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

function rowOf(session: SessionSummary): string {
  const { title, deleted, messages, model, workspace, profile, project_id, goal, yolo } = session;
  const run = [session.active_run_id, session.active_status, session.pending];
  const own = [title, deleted, messages, model, workspace, profile, project_id, goal, yolo];
  return JSON.stringify([...own, ...run]);
}
