// Native API: changing what was said, what waits, and what a session builds on.
import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import * as commands from "../../events/commands.ts";
import { ApiError, parse } from "../../events/errors.ts";
import { ClientKey } from "../../events/ids.ts";
import type { AppDeps } from "../app.ts";
import { noRun, noSession, runIdOf, sendOutcome, sessionIdOf } from "./replies.ts";

type Take<Schema extends z.ZodType> = (
  id: string,
  command: z.infer<Schema>,
) => Promise<commands.Outcome | undefined>;

export function steeringRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    const onSession = <Schema extends z.ZodType>(
      name: string,
      schema: Schema,
      take: Take<Schema>,
    ) => {
      app.post(`/sessions/:sessionId/${name}`, async ({ params, body }, reply) => {
        const sessionId = sessionIdOf(params);
        const outcome = await take(sessionId, parse(schema, body ?? {}));
        return sendOutcome(reply, outcome, noSession(sessionId));
      });
    };
    const onRun = <Schema extends z.ZodType>(name: string, schema: Schema, take: Take<Schema>) => {
      app.post(`/runs/:runId/${name}`, async ({ params, body }, reply) => {
        const runId = runIdOf(params);
        const outcome = await take(runId, parse(schema, body ?? {}));
        return sendOutcome(reply, outcome, noRun(runId));
      });
    };

    onSession("settings", commands.UpdateSession, (id, asked) =>
      journal.commands.updateSession(id, asked),
    );
    onSession("undo", commands.Undo, (id, asked) => journal.commands.undo(id, asked));
    onSession("retry", commands.Retry, (id, asked) => journal.commands.retry(id, asked));
    onSession("branch", commands.Branch, (id, asked) => journal.commands.branch(id, asked));
    onSession("compress", commands.Compress, (id, asked) => journal.commands.compress(id, asked));
    onSession("rollback", commands.Rollback, (id, asked) => journal.commands.rollback(id, asked));
    onRun("move", commands.MoveQueued, (id, asked) => journal.commands.moveQueued(id, asked));
    onRun("rerun", commands.Rerun, (id, asked) => journal.commands.rerun(id, asked));

    app.post("/runs/:runId/messages/:messageId", async ({ params, body }, reply) => {
      const runId = runIdOf(params);
      const messageId = parse(ClientKey, (params as { messageId: string }).messageId);
      const command = parse(commands.EditMessage, body ?? {});
      if (!(await journal.reads.run(runId)))
        throw new ApiError("run_not_found", noRun(runId).message);
      const outcome = await journal.commands.editMessage({ runId, messageId }, command);
      const message = `The run has no message ${messageId}.`;
      return sendOutcome(reply, outcome, { code: "not_found", message });
    });
  };
}
