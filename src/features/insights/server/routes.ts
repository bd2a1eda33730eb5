// Native API: what was used and done, by days or by whoever did it.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { INSIGHT_GROUPS } from "../records.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import { SessionId } from "../../../kernel/events/ids.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { insightsOf, MAX_DAYS } from "./insights.ts";
import { integerParam } from "../../../kernel/server/integer-param.ts";
import { data, noSession } from "../../../kernel/server/routes/replies.ts";

const MAX_ROWS = 500;
const Asked = z.object({
  days: integerParam(1, MAX_DAYS).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  by: z.enum(INSIGHT_GROUPS).default("day"),
  tz: z.string().max(100).optional(),
  session_id: SessionId.optional(),
  limit: integerParam(1, MAX_ROWS).default(50),
});

export function insightRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/insights", async ({ query }) => {
      const { session_id: sessionId, ...asked } = parse(Asked, query);
      if (asked.days !== undefined && asked.from !== undefined) {
        throw new ApiError("invalid_request", "days: not together with from.");
      }
      if (sessionId !== undefined && !(await journal.reads.session(sessionId))) {
        const { code, message } = noSession(sessionId);
        throw new ApiError(code, message);
      }
      return data(await insightsOf(journal, { ...asked, sessionId }, Date.now()));
    });
  };
}
