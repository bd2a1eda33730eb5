// What was used and done: see insights.ts.
import type { Journal } from "../../../kernel/journal/journal.ts";
import { insightsBacklog } from "./backlog.ts";
import type { Insights } from "./insights.ts";
import { insightsReads } from "./reads.ts";

export function insightStore({ database }: Pick<Journal, "database">): Insights {
  const { sql, transact } = database;
  return { ...insightsReads(sql), ...insightsBacklog(sql, transact) };
}
