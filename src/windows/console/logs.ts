// The console's logs. Its document asks by kind, its real client by file; lines are texts there. `follow=1` waits a
// while where nothing follows the `offset` (a number of lines, the last answer's `next_offset`) or the place `after`.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { LOG_KINDS } from "../../kernel/events/log-kinds.ts";
import type { LogLine } from "../../kernel/home/log.ts";
import { readLog } from "../../features/logs/home/read-log.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { followed } from "../../features/logs/server/routes.ts";
import { both, capability, ConsoleError, take } from "./envelopes.ts";

const number = z.string().regex(/^\d{1,9}$/, "a number");
const Asked = z.looseObject({
  kind: z.string().max(64).optional(),
  file: z.string().max(64).optional(),
  offset: number.optional(),
  limit: number.default("200"),
  after: z
    .string()
    .regex(/^\d{1,20}:\d{1,15}$/)
    .optional(),
  follow: z.enum(["0", "1", "true", "false"]).default("0"),
});
const MAX = 2_000;
const ALL = 1_000_000;

export function logPages({ home }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/logs", async ({ query }, reply) => {
      if (home === undefined) return capability("logs_unavailable");
      const { kind, file, offset, limit, after, follow } = take(Asked, query);
      const wanted = kindOf(kind ?? file ?? "errors");
      const most = Math.min(Number(limit), MAX);
      const names = LOG_KINDS.map((name) => `${name}.log`);
      const about = {
        directory: "logs",
        file: `${wanted}.log`,
        kind: wanted,
        available_files: names,
      };
      const waits = follow === "1" || follow === "true";
      if (waits && after !== undefined) {
        const request = { after, limit: Math.max(1, most) };
        const page = await followed({ home, kind: wanted, request }, reply);
        const lines = page.lines.map(asText);
        return both({ logs: { ...about, line_count: lines.length, lines, next: page.next } });
      }
      let page = await readLog(home, wanted, { limit: ALL });
      const end = page.lines.length;
      const from = Math.min(Number(offset ?? Math.max(0, end - most)), end);
      if (waits && offset !== undefined && from === end) {
        const request = { after: page.next, limit: 1 };
        await followed({ home, kind: wanted, request }, reply);
        page = await readLog(home, wanted, { limit: ALL });
      }
      const lines = page.lines.slice(from, from + most).map(asText);
      const places = { offset: from, next_offset: from + lines.length, next: page.next };
      return both({ logs: { ...about, line_count: page.lines.length, lines, ...places } });
    });
  };
}

function kindOf(name: string): string {
  const kind = LOG_KINDS.find((known) => known === name || `${known}.log` === name);
  if (kind) return kind;
  throw new ConsoleError("invalid_request", `kind: one of ${LOG_KINDS.join(", ")}`);
}

function asText({ at, level, kind, message, error, fields }: LogLine): string {
  const more = fields ? ` ${JSON.stringify(fields)}` : "";
  return `${at} ${level.toUpperCase()} ${kind}: ${message}${more}${error ? `\n${error}` : ""}`;
}
