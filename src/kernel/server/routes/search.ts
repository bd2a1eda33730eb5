// Native API: finding what was said and done.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { SearchQuery } from "../../journal/journal.ts";
import { HIT_KINDS, HitKind, HitRole } from "../../api/records/search.ts";
import { ApiError, parse } from "../../events/errors.ts";
import { ProjectId, SessionId } from "../../events/ids.ts";
import type { AppDeps } from "../app.ts";
import { data } from "./replies.ts";
import { defined } from "../../events/defined.ts";
import { integerParam } from "../integer-param.ts";

const Seconds = z.string().regex(/^\d{1,12}(\.\d{1,6})?$/, "Unix seconds");
const Name = z.string().min(1).max(1_000);

/** What every window lets its searches be narrowed by. */
export const SearchFilters = z.object({
  kind: z.string().max(100).optional(), // one or more, with commas between
  role: HitRole.optional(),
  tool: Name.max(200).optional(),
  session: SessionId.optional(),
  profile: Name.max(200).optional(),
  workspace: Name.optional(),
  project: ProjectId.optional(),
  since: Seconds.optional(),
  until: Seconds.optional(),
  group: z.enum(["session"]).optional(),
  cursor: z
    .string()
    .regex(/^-?\d{1,15}\.\d{1,4}$/, "`next` of the page before")
    .optional(),
});
const Search = SearchFilters.extend({
  q: z.string().max(1_000),
  limit: integerParam(0, 999).default(20),
});

export function searchRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/search", async ({ query }) => {
      const { q, limit, ...filters } = parse(Search, query);
      return data(await journal.reads.search({ q, limit, ...narrowed(filters) }));
    });
  };
}

/** As the journal knows them. */
export function narrowed(given: z.infer<typeof SearchFilters>): Omit<SearchQuery, "q" | "limit"> {
  const { kind, session, since, until, group, ...rest } = given;
  return {
    ...defined(rest),
    ...(kind !== undefined && { kind: kindsIn(kind) }),
    ...(session !== undefined && { sessionId: session }),
    ...(since !== undefined && { since: Number(since) }),
    ...(until !== undefined && { until: Number(until) }),
    ...(group !== undefined && { bySession: true }),
  };
}

function kindsIn(list: string): HitKind[] {
  const kinds = z.array(HitKind).min(1).safeParse(list.split(","));
  if (kinds.success) return kinds.data;
  throw new ApiError("invalid_request", `kind: one or more of ${HIT_KINDS.join(", ")}`);
}
