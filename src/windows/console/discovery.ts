// Search, slash commands, the audit, and the heartbeat by which the console decides whether it is online.
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { CONSOLE_COMMANDS } from "../../kernel/dialect/console-commands.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { periodOf } from "../../features/insights/server/insights.ts";
import { parse } from "../../kernel/events/errors.ts";
import { AuditQuery } from "../../kernel/api/routes/audit.ts";
import { readAudit } from "../../kernel/server/routes/audit.ts";
import { SearchFilters } from "../../kernel/api/routes/search.ts";
import { narrowed } from "../../kernel/server/routes/search.ts";
import { both, ConsoleError, take } from "./envelopes.ts";
import { insightStore } from "../../features/insights/store/store.ts";
import { scheduleStore } from "../../features/schedules/store/store.ts";

const Search = z.looseObject({
  ...SearchFilters.shape,
  query: z.string().max(1_000).optional(),
  q: z.string().max(1_000).optional(),
  session_id: SearchFilters.shape.session,
  limit: z
    .string()
    .regex(/^\d{1,6}$/, "a number")
    .default("20"),
});
const Filters = z.object(SearchFilters.shape);
const MAX_HITS = 100;

export function discoveryPages({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/session-search", async ({ query }) => {
      const asked = take(Search, query);
      const words = (asked.query ?? asked.q ?? "").trim();
      if (words === "") throw new ConsoleError("missing_query", "Say what to look for: `query`.");
      const limit = Math.min(Number(asked.limit), MAX_HITS);
      const filters = Filters.parse({ ...asked, session: asked.session ?? asked.session_id });
      const { hits, next, indexing } = await journal.reads.search({
        q: words,
        limit,
        ...narrowed(filters),
      });
      const results = hits.map((hit) => ({
        ...hit,
        session_title: hit.title,
        tool_name: hit.tool,
      }));
      const count = results.length;
      return both({ search: { query: words, results, count, next, indexing }, results });
    });

    app.get("/commands", async () => both({ commands: CONSOLE_COMMANDS }));

    app.get("/audit", async ({ query }) =>
      both({ audit: await readAudit(journal, parse(AuditQuery, query)) }),
    );

    app.get("/metrics/global", async () => {
      const now = Date.now();
      const midnight = Math.floor(now / 86_400_000) * 86_400; // UTC
      const today = await journal.reads.usageSince(midnight);
      const owned = await journal.registry.owned();
      const active = [...owned.values()].reduce((sum, runs) => sum + runs.length, 0);
      return both({
        metrics: {
          token_usage_today: today.total_tokens,
          // null: nobody knows the price
          cost_today: (await insightStore(journal).insightTotals(periodOf({ days: 1 }, now).period))
            .cost_usd,
          runs_today: today.runs,
          active_processes: active,
          cron_jobs: (await scheduleStore(journal).cronJobs()).length,
          cpu_percent: Math.min(100, percent((loadavg()[0] ?? 0) / availableParallelism())),
          memory_percent: percent(1 - freemem() / totalmem()),
          uptime_seconds: Math.round(process.uptime()),
        },
      });
    });
  };
}

function percent(share: number): number {
  return Math.round(share * 1_000) / 10;
}
