// Native API: sessions, their event streams across runs, goals, and everything that needs a person.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../journal/journal.ts";
import type { AppDeps } from "../app.ts";
import { defaultsFor } from "../defaults.ts";
import { sessionSource } from "../feed/sources.ts";
import { streamEvents } from "../feed/sse.ts";
import { cursorOf } from "./cursor.ts";
import { sessionsApi } from "../../api/routes/sessions.ts";
import { sendPast } from "../feed/feed-history.ts";
import { mount } from "../mount.ts";
import { noSession, requireFound } from "./replies.ts";

const MAX_PAGE = 200;

export function sessionRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return mount(sessionsApi, {
    listSessions: async ({ query: { limit, offset, pinned } }) => {
      const page = { limit: Math.min(limit, MAX_PAGE), offset };
      const wanted = { ...page, pinnedOnly: pinned === "1" };
      return { sessions: await journal.reads.sessions(wanted), ...page };
    },
    createSession: async ({ body }) =>
      journal.commands.createSession(body, await defaultsFor(deps, body.profile)),
    getSession: async ({ params: { sessionId } }) => {
      const session = await requireSession(sessionId);
      const runs = await journal.reads.runsOf(sessionId);
      const pending = await journal.reads.pending({ sessionId });
      const branched_from = await branchPoint(journal, sessionId);
      return { session, epoch: journal.epoch, branched_from, runs, pending };
    },
    streamSession: async ({ params, query, request, reply }) => {
      const session = await requireSession(params.sessionId);
      const head = { logId: session.session_id, epoch: journal.epoch, seq: session.seq };
      const after = cursorOf(request, query, head);
      const source = sessionSource(journal, session.session_id);
      return streamEvents(reply, deps.streams, { source, after });
    },
    readPast: ({ params, query, reply }) => sendPast(deps, { ...params, ...query }, reply),
    updateTitle: async ({ params: { sessionId }, body }) =>
      requireFound(await journal.commands.updateTitle(sessionId, body), noSession(sessionId)),
    updateGoal: async ({ params: { sessionId }, body }) =>
      requireFound(await journal.commands.updateGoal(sessionId, body), noSession(sessionId)),
    listPending: async () => ({ pending: await journal.reads.pending({}) }),
  });

  async function requireSession(sessionId: string) {
    return requireFound(await journal.reads.session(sessionId), noSession(sessionId));
  }
}

async function branchPoint(journal: Journal, sessionId: string) {
  const point = await journal.reads.branchedFrom(sessionId);
  return point ? { session_id: point.sessionId, run_id: point.runId, seq: point.seq } : null;
}
