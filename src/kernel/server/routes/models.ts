// Tests a model with one short question. Only one test runs at a time: each may cost money, and a page that is opened
// often must not become a way to spend it.
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { modelTestApi } from "../../api/routes/models.ts";
import { ApiError } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { abortOnDisconnect } from "../disconnect.ts";
import { mount } from "../mount.ts";

const PATIENCE_MS = 1_000;

export function modelRoutes({ info }: Pick<AppDeps, "info">): FastifyPluginAsync {
  let asking: Promise<void> | null = null;
  return mount(modelTestApi, {
    testModel: async ({ body: { provider, id }, reply }) => {
      if (!info.testModel) throw new ApiError("unavailable", "This server cannot test models.");
      // A page that cancels one test starts the next at once: it may arrive before the first has ended.
      if (asking) await Promise.race([asking, delay(PATIENCE_MS)]);
      if (asking) {
        throw new ApiError("rate_limited", "Another model is being tested. Try again in a moment.");
      }
      const over = Promise.withResolvers<void>();
      asking = over.promise;
      const signal = abortOnDisconnect(reply);
      try {
        return await info.testModel(`${provider}/${id}`, signal);
      } catch (error) {
        throw signal.aborted ? new ApiError("unavailable", "The test was cancelled.") : error;
      } finally {
        asking = null;
        over.resolve();
      }
    },
  });
}
