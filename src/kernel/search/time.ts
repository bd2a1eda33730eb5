// Finds the index range of a period. Rows have no index by time, because every append would pay for it.
import { marksBetween } from "./marks.ts";
import type { Sql } from "../journal/sql.ts";

export const FOREVER = 9_007_199_254_740_991;

export type Between = { readonly since: number; readonly until: number };

const TIMES = `SELECT
  (SELECT created_at FROM search_rows ORDER BY row_key LIMIT 1) AS first,
  (SELECT created_at FROM search_rows ORDER BY row_key DESC LIMIT 1) AS last`;
const DAY = 86_400;

/** Marks of the days; undefined if there are too many. */
export async function daysBetween(sql: Sql, { since, until }: Between) {
  const { first, last } = (await sql.get(TIMES)) as { first: number | null; last: number | null };
  const [oldest, newest] = [(first ?? 0) - 40 * DAY, (last ?? 0) + 40 * DAY];
  return marksBetween(Math.max(since, oldest), Math.min(until, newest));
}

type Ends = { readonly first: number; readonly last: number };
const ENDS = `SELECT (SELECT min(row_key) FROM search_rows) AS first,
  (SELECT max(row_key) FROM search_rows) AS last`;

/**
 * The range of keys that holds every row of the period; undefined if there is none. Rows are ordered by time, except
 * those that were indexed later: their keys are at most 0, and all of them are included.
 */
export async function endsOf(sql: Sql, { since, until }: Between): Promise<Ends | undefined> {
  const { first, last } = (await sql.get(ENDS)) as { first: number | null; last: number | null };
  if (first === null || last === null) return undefined;
  const live = { first: Math.max(first, 1), last };
  const from = since > 0 ? await keyAt(sql, live, since - DAY) : first;
  return {
    first: from <= 1 ? first : from,
    last: until < FOREVER ? await keyAt(sql, live, until + DAY) : last,
  };
}

async function keyAt(sql: Sql, { first, last }: Ends, time: number): Promise<number> {
  const next = "SELECT created_at FROM search_rows WHERE row_key >= ? ORDER BY row_key LIMIT 1";
  let [low, high] = [first, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = (await sql.get(next, middle))?.["created_at"] as number | undefined;
    if (at !== undefined && at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
