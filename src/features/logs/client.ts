// The calls for logs.
import type { LOG_KINDS } from "../../kernel/events/log-kinds.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";
import type { LEVELS, logsApi } from "./api.ts";

export type LogQuery = {
  readonly kind: (typeof LOG_KINDS)[number];
  readonly level: (typeof LEVELS)[number];
  readonly after?: string | undefined;
  readonly follow?: boolean;
};

export function logsCalls(calls: Calls) {
  const call = callsOf<typeof logsApi>(calls);
  return {
    logs: ({ follow = false, ...asked }: LogQuery, signal?: AbortSignal) =>
      call("get /api/logs", { query: { ...asked, ...(follow && { follow: "1" }) } }, signal),
  };
}
