// Native API: what a person does in a workspace with their own hands. The content of a file goes to the blob
// store first; the run that saves it names it by its hash.
import type { FastifyPluginAsync } from "fastify";
import { RunCommand, SaveFile } from "../../events/commands.ts";
import { parse } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { saveContent } from "../workspace/save-content.ts";
import { below } from "../workspace/workspace-params.ts";
import { noSession, sendOutcome, sessionIdOf } from "./replies.ts";

export const SAVE_BODY = 8_388_608; // a mebibyte of text, escaped as badly as it can be

export function manualCommandRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post(
      "/sessions/:sessionId/file/save",
      { bodyLimit: SAVE_BODY },
      async ({ params, body }, reply) => {
        const sessionId = sessionIdOf(params);
        const request = parse(SaveFile, body ?? {});
        below(request.path);
        return sendOutcome(
          reply,
          await saveContent(journal, sessionId, request),
          noSession(sessionId),
        );
      },
    );
    app.post("/sessions/:sessionId/exec", async ({ params, body }, reply) => {
      const sessionId = sessionIdOf(params);
      const outcome = await journal.commands.runCommand(sessionId, parse(RunCommand, body ?? {}));
      return sendOutcome(reply, outcome, noSession(sessionId));
    });
  };
}
