// `/v1`: the API of OpenAI clients and of similar agent servers. Every error below it has that API's shape, also
// errors that are raised before a route is found.
import type { FastifyInstance } from "fastify";
import type { AppDeps } from "../../kernel/server/app.ts";
import type { Room } from "../../kernel/server/room.ts";
import { healthRoutes, v1Capabilities } from "./capabilities.ts";
import { v1Chat } from "./chat.ts";
import { v1Models } from "./models.ts";
import { v1ResponsesRead } from "./responses-read.ts";
import { v1Responses } from "./responses.ts";
import { v1Runs } from "./runs.ts";
import { V1Error, v1Errors } from "./v1-error.ts";

export const v1Window: Room = (deps) => ({
  routes: async (app) => {
    await app.register(async (v1) => mount(v1, deps), { prefix: "/v1" });
    await app.register(healthRoutes(deps));
  },
  open: ["/health", "/v1/health"],
});

async function mount(v1: FastifyInstance, deps: AppDeps): Promise<void> {
  v1Errors(v1, deps.logError);
  v1.setNotFoundHandler((request) => {
    const path = (request.url.split("?")[0] ?? "").slice(0, 200);
    throw new V1Error(404, "unknown_url", `There is nothing at ${request.method} ${path}.`);
  });
  await v1.register(v1Models(deps));
  await v1.register(v1Chat(deps));
  await v1.register(v1Responses(deps));
  await v1.register(v1ResponsesRead(deps));
  await v1.register(v1Runs(deps));
  await v1.register(v1Capabilities(deps));
}
