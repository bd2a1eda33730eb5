// What the console asks for beside sessions and runs: search, slash commands, and the heartbeat by which
// it decides whether it is online.
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { CONSOLE_COMMANDS } from "../../../protocol/dialects/console-commands.ts";
import type { AppDeps } from "../../app.ts";
import { both, ConsoleError, take } from "./envelopes.ts";

const Search = z.looseObject({
  query: z.string().max(1_000).optional(),
  q: z.string().max(1_000).optional(),
  profile: z.string().min(1).max(200).optional(),
  limit: z
    .string()
    .regex(/^\d{1,6}$/, "a number")
    .default("20"),
});
const MAX_HITS = 100;

export function discoveryPages({ journal, defaults }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/session-search", async ({ query }) => {
      const asked = take(Search, query);
      const words = (asked.query ?? asked.q ?? "").trim();
      if (words === "") throw new ConsoleError("missing_query", "Say what to look for: `query`.");
      const profile = asked.profile ?? defaults.profile ?? "default";
      const limit = Math.min(Number(asked.limit), MAX_HITS);
      const hits = limit === 0 ? [] : await journal.searchMessages({ words, profile, limit });
      const results = hits.map(({ title, ...hit }) => ({ ...hit, session_title: title, title }));
      return both({ search: { query: words, results, count: results.length }, results });
    });

    app.get("/commands", async () => both({ commands: CONSOLE_COMMANDS }));

    app.get("/metrics/global", async () => {
      const midnight = Math.floor(Date.now() / 86_400_000) * 86_400; // UTC
      const today = await journal.usageSince(midnight);
      const owned = await journal.owned();
      const active = [...owned.values()].reduce((sum, runs) => sum + runs.length, 0);
      return both({
        metrics: {
          token_usage_today: today.total_tokens,
          cost_today: today.cost_usd,
          runs_today: today.runs,
          active_processes: active,
          cron_jobs: 0,
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
