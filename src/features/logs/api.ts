// The endpoint of the logs of this machine's processes.
import { z } from "zod";
import { get } from "../../kernel/api/endpoint.ts";
import { integerParam } from "../../kernel/api/integer-param.ts";
import { LOG_KINDS } from "../../kernel/events/log-kinds.ts";
import { LogsView } from "./records.ts";

export const LEVELS = ["debug", "info", "warn", "error"] as const;
/** Where a page of lines ended: the file's number and a place in it. */
const PLACE = /^\d{1,20}:\d{1,15}$/;
const LogsQuery = z.object({
  kind: z
    .enum(LOG_KINDS)
    .default("errors")
    .describe("`errors` (when left out), `serve`, `work`, `gateway`, `cron` or `tool_debug`."),
  level: z
    .enum(LEVELS)
    .default("debug")
    .describe("`debug`, `info`, `warn` or `error`: these and worse."),
  after: z
    .string()
    .regex(PLACE, "a place that an earlier answer named")
    .optional()
    .describe("Only what follows this place: `next` of an earlier answer."),
  limit: integerParam(1, 1_000).default(200).describe("How many, at most 1000."),
  follow: z
    .enum(["0", "1", "true", "false"])
    .default("0")
    .describe("`1`: wait (at most 25 s) until there is something."),
});

export const logsApi = {
  getLogs: get("/api/logs", {
    tag: "house",
    summary: "What the processes of this machine said: the last lines, or what follows a place.",
    response: LogsView,
    query: LogsQuery,
    errors: ["invalid_request"],
  }),
};
