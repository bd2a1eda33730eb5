// Native API: search in what was said and done.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { SearchQuery } from "../../journal/journal.ts";
import { HIT_KINDS, HitKind } from "../../api/records/search.ts";
import { searchApi, type SearchFilters } from "../../api/routes/search.ts";
import { ApiError } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";
import { defined } from "../../events/defined.ts";

export function searchRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return mount(searchApi, {
    search: ({ query: { q, limit, ...filters } }) =>
      journal.reads.search({ q, limit, ...narrowed(filters) }),
  });
}

/** As the journal knows them. */
export function narrowed(given: SearchFilters): Omit<SearchQuery, "q" | "limit"> {
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
