// Native API: sessions, their event streams across runs, goals, and everything that needs a person.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { Journal } from "../../journal/journal.ts";
import { CreateSession, UpdateGoal, UpdateTitle } from "../../events/commands.ts";
import { ApiError, parse } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { defaultsFor } from "../defaults.ts";
import { sessionSource } from "../feed/sources.ts";
import { streamEvents } from "../feed/sse.ts";
import { cursorOf } from "./cursor.ts";
import { data, noSession, sendOutcome, sessionIdOf } from "./replies.ts";
import { integerParam } from "../integer-param.ts";

const MAX_OFFSET = 999_999;
const Paging = z.object({
  limit: integerParam(0, MAX_OFFSET).default(50),
  offset: integerParam(0, MAX_OFFSET).default(0),
  pinned: z.enum(["0", "1"]).default("0"),
});
const MAX_PAGE = 200;

export function sessionRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/sessions", async ({ query }) => {
      const { limit, offset, pinned } = parse(Paging, query);
      const page = { limit: Math.min(limit, MAX_PAGE), offset };
      const wanted = { ...page, pinnedOnly: pinned === "1" };
      return data({ sessions: await journal.reads.sessions(wanted), ...page });
    });

    app.post("/sessions", async ({ body }, reply) => {
      const command = parse(CreateSession, body ?? {});
      const defaults = await defaultsFor(deps, command.profile);
      const outcome = await journal.commands.createSession(command, defaults);
      return sendOutcome(reply, outcome, noSession(""));
    });

    app.get("/sessions/:sessionId", async ({ params }) => {
      const session = await find(params);
      const { session_id: sessionId } = session;
      const runs = await journal.reads.runsOf(sessionId);
      const pending = await journal.reads.pending({ sessionId });
      const branched_from = await branchPoint(journal, sessionId);
      return data({ session, epoch: journal.epoch, branched_from, runs, pending });
    });

    app.get("/sessions/:sessionId/events", async (request, reply) => {
      const session = await find(request.params);
      const head = { logId: session.session_id, epoch: journal.epoch, seq: session.seq };
      const after = cursorOf(request, head);
      const source = sessionSource(journal, session.session_id);
      return streamEvents(reply, deps.streams, { source, after });
    });

    app.post("/sessions/:sessionId/title", async ({ params, body }, reply) => {
      const sessionId = sessionIdOf(params);
      const outcome = await journal.commands.updateTitle(sessionId, parse(UpdateTitle, body ?? {}));
      return sendOutcome(reply, outcome, noSession(sessionId));
    });

    app.post("/sessions/:sessionId/goal", async ({ params, body }, reply) => {
      const sessionId = sessionIdOf(params);
      const outcome = await journal.commands.updateGoal(sessionId, parse(UpdateGoal, body ?? {}));
      return sendOutcome(reply, outcome, noSession(sessionId));
    });

    app.get("/pending", async () => data({ pending: await journal.reads.pending({}) }));
  };

  async function find(params: unknown) {
    const sessionId = sessionIdOf(params);
    const session = await journal.reads.session(sessionId);
    if (!session) throw new ApiError("session_not_found", noSession(sessionId).message);
    return session;
  }
}

async function branchPoint(journal: Journal, sessionId: string) {
  const point = await journal.reads.branchedFrom(sessionId);
  return point ? { session_id: point.sessionId, run_id: point.runId, seq: point.seq } : null;
}
