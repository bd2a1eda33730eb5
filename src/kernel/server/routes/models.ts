// Asks a model one short question, for a person who wonders whether it works. One at a time: each may
// cost money, and a page that is opened often must not become a way to spend it.
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { modelTestApi } from "../../api/routes/models.ts";
import { ApiError } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";

const PATIENCE_MS = 1_000;

export function modelRoutes({ info }: Pick<AppDeps, "info">): FastifyPluginAsync {
  let asking: Promise<void> | null = null;
  return mount(modelTestApi, {
    testModel: async ({ body: { provider, id }, reply }) => {
      if (!info.testModel) throw new ApiError("unavailable", "This server cannot test models.");
      // Whoever has called one off asks for the next at once, and may be here before the end of the first.
      if (asking) await Promise.race([asking, delay(PATIENCE_MS)]);
      if (asking) {
        throw new ApiError("rate_limited", "Another model is being tested. Try again in a moment.");
      }
      const over = Promise.withResolvers<void>();
      asking = over.promise;
      const left = new AbortController();
      const leave = () => left.abort();
      reply.raw.once("close", leave); // whoever asked has gone: nobody pays for an answer nobody reads
      try {
        return await info.testModel(`${provider}/${id}`, left.signal);
      } catch (error) {
        if (left.signal.aborted) throw new ApiError("unavailable", "The test was cancelled.");
        throw error;
      } finally {
        asking = null;
        over.resolve();
        reply.raw.off("close", leave);
      }
    },
  });
}
