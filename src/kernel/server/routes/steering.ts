// Native API: edits what was said, what is queued, and what a session builds on.
import type { FastifyPluginAsync } from "fastify";
import { steeringApi } from "../../api/routes/steering.ts";
import type { Outcome } from "../../events/commands.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";
import { noRun, noSession, requireFound } from "./replies.ts";

type Take<Body> = (id: string, command: Body) => Promise<Outcome | undefined>;

export function steeringRoutes({ journal: { commands, reads } }: AppDeps): FastifyPluginAsync {
  return mount(steeringApi, {
    updateSession: onSession((id, asked) => commands.updateSession(id, asked)),
    undo: onSession((id, asked) => commands.undo(id, asked)),
    retry: onSession((id, asked) => commands.retry(id, asked)),
    branch: onSession((id, asked) => commands.branch(id, asked)),
    compress: onSession((id, asked) => commands.compress(id, asked)),
    rollback: onSession((id, asked) => commands.rollback(id, asked)),
    moveQueued: onRun((id, asked) => commands.moveQueued(id, asked)),
    rerun: onRun((id, asked) => commands.rerun(id, asked)),
    editMessage: async ({ params: { runId, messageId }, body }) => {
      requireFound(await reads.run(runId), noRun(runId));
      const message = `The run has no message ${messageId}.`;
      return requireFound(await commands.editMessage({ runId, messageId }, body), {
        code: "not_found",
        message,
      });
    },
  });
}

function onSession<Body>(take: Take<Body>) {
  return async ({ params: { sessionId }, body }: { params: { sessionId: string }; body: Body }) =>
    requireFound(await take(sessionId, body), noSession(sessionId));
}

function onRun<Body>(take: Take<Body>) {
  return async ({ params: { runId }, body }: { params: { runId: string }; body: Body }) =>
    requireFound(await take(runId, body), noRun(runId));
}
