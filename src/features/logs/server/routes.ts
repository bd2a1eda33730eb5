// Native API: the logs of this machine's processes.
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { LOG_KINDS } from "../../../kernel/events/log-kinds.ts";
import { logSizes, readLog, type LogPage, type LogQuery } from "../home/read-log.ts";
import type { LogsView } from "../records.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { LEVELS, logsApi } from "../api.ts";

const LOOK_MS = 300;
const LONGEST_MS = 25_000;

export function logRoutes({ home }: Pick<AppDeps, "home">): FastifyPluginAsync {
  if (home === undefined) return async () => undefined; // nobody keeps any
  return mount(logsApi, {
    getLogs: async ({ query: { kind, level, after, limit, follow }, reply }) => {
      const asked = { home, kind, request: { after, limit } };
      const waits = follow === "1" || follow === "true";
      const page = waits ? await followed(asked, reply) : await readLog(home, kind, asked.request);
      const lines = page.lines.filter(
        (line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level),
      );
      return { kind, kinds: await sizes(home), ...page, lines } as LogsView;
    },
  });
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
