// Native API: the logs of this machine's processes.
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { z } from "zod";
import { LOG_KINDS } from "../../../kernel/home/log.ts";
import { logSizes, PLACE, readLog, type LogPage, type LogQuery } from "../home/read-log.ts";
import type { LogsView } from "../records.ts";
import { parse } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { integerParam } from "../../../kernel/server/integer-param.ts";
import { data } from "../../../kernel/server/routes/replies.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
const Asked = z.object({
  kind: z.enum(LOG_KINDS).default("errors"),
  level: z.enum(LEVELS).default("debug"),
  after: z.string().regex(PLACE, "a place that an earlier answer named").optional(),
  limit: integerParam(1, 1_000).default(200),
  follow: z.enum(["0", "1", "true", "false"]).default("0"),
});
const LOOK_MS = 300;
const LONGEST_MS = 25_000;

export function logRoutes({ home }: Pick<AppDeps, "home">): FastifyPluginAsync {
  return async (app) => {
    if (home === undefined) return; // nobody keeps any
    app.get("/logs", async ({ query }, reply) => {
      const { kind, level, after, limit, follow } = parse(Asked, query);
      const asked = { home, kind, request: { after, limit } };
      const waits = follow === "1" || follow === "true";
      const page = waits ? await followed(asked, reply) : await readLog(home, kind, asked.request);
      const lines = page.lines.filter(
        (line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level),
      );
      const view: LogsView = {
        kind,
        kinds: await sizes(home),
        ...page,
        lines: [...lines],
      } as LogsView;
      return data(view);
    });
  };
}

async function sizes(home: string): Promise<LogsView["kinds"]> {
  const known = await logSizes(home);
  return LOG_KINDS.map((kind) => ({ kind, bytes: known.get(kind) ?? 0 }));
}

type Asking = { readonly home: string; readonly kind: string; readonly request: LogQuery };

/** Waits until there is something after the place, or long enough; nobody waits for a client that went. */
export async function followed(
  { home, kind, request }: Asking,
  reply: FastifyReply,
): Promise<LogPage> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const page = await readLog(home, kind, request);
    const over = performance.now() > until || reply.raw.destroyed;
    if (page.lines.length > 0 || page.lost || over || request.after === undefined) return page;
    await delay(LOOK_MS);
  }
}
