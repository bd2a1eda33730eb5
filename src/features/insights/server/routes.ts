// Native API: what was used and done, by days or by whoever did it.
import type { FastifyPluginAsync } from "fastify";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { noSession, requireFound } from "../../../kernel/server/routes/replies.ts";
import { insightsApi } from "../api.ts";
import { insightsOf } from "./insights.ts";

export function insightRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return mount(insightsApi, {
    getInsights: async ({ query: { session_id: sessionId, ...asked } }) => {
      if (asked.days !== undefined && asked.from !== undefined) {
        throw new ApiError("invalid_request", "days: not together with from.");
      }
      if (sessionId !== undefined) {
        requireFound(await journal.reads.session(sessionId), noSession(sessionId));
      }
      return insightsOf(journal, { ...asked, sessionId }, Date.now());
    },
  });
}
