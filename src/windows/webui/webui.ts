// The browser's routes of the run contract. They translate: what a run is, and where it stands, is read
// from the journal for every request.
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { toErrorResponse } from "../../kernel/server/error-response.ts";
import type { Room } from "../../kernel/server/room.ts";
import { chatRoutes } from "./chat.ts";
import { commandRoutes } from "./commands.ts";
import { goalRoutes } from "./goal.ts";
import { requestRoutes } from "./requests.ts";
import { sessionsChangedRoutes } from "./sessions-changed.ts";
import { Busy } from "./start.ts";
import { streamRoutes } from "./streams.ts";

export const webuiWindow: Room = (deps) => ({
  routes: async (app) => {
    // Its clients read a sentence in `error`; the code beside it is ours.
    const onError = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      if (error instanceof Busy) return reply.status(409).send(error.body);
      const { code, status, envelope } = toErrorResponse(error);
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
