// The calls for logs.
import type { LogsView } from "./records.ts";
import type { Calls } from "../../kernel/client/api.ts";

export type LogQuery = {
  readonly kind: string;
  readonly level: string;
  readonly after?: string | undefined;
  readonly follow?: boolean;
};

export function logsCalls({ get }: Pick<Calls, "get">) {
  return {
    logs: ({ kind, level, after, follow }: LogQuery, signal?: AbortSignal) => {
      const query = new URLSearchParams({ kind, level });
      if (after !== undefined) query.set("after", after);
      if (follow) query.set("follow", "1");
      return get<LogsView>(`/api/logs?${query.toString()}`, signal);
    },
  };
}
