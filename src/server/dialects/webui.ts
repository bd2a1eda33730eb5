// The browser's routes of the run contract. They translate: what a run is, and where it stands, is read
// from the journal for every request.
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { toAnswer } from "../answers.ts";
import type { DialectMount } from "./dialects.ts";
import { chatRoutes } from "./webui/chat.ts";
import { commandRoutes } from "./webui/commands.ts";
import { goalRoutes } from "./webui/goal.ts";
import { requestRoutes } from "./webui/requests.ts";
import { sessionsChangedRoutes } from "./webui/sessions-changed.ts";
import { Busy } from "./webui/start.ts";
import { streamRoutes } from "./webui/streams.ts";

export const webuiWindow: DialectMount = (deps) => ({
  routes: async (app) => {
    // Its clients read a sentence in `error`; the code beside it is ours.
    const onError = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      if (error instanceof Busy) return reply.status(409).send(error.body);
      const { code, status, envelope } = toAnswer(error);
      if (code === "internal") deps.logError(error);
      return reply.status(status).send({ error: envelope.error.message, code });
    };
    app.setErrorHandler(onError);
    await app.register(chatRoutes(deps), { prefix: "/api/chat" });
    await app.register(streamRoutes(deps), { prefix: "/api" });
    await app.register(requestRoutes(deps), { prefix: "/api" });
    await app.register(goalRoutes(deps), { prefix: "/api" });
    await app.register(commandRoutes(), { prefix: "/api" });
    await app.register(sessionsChangedRoutes(deps), { prefix: "/api" });
  },
  sockets: [],
});
