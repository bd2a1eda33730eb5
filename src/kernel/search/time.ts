// Finds the index range of a period. Rows have no index by time, because every append would pay for it.
import { marksBetween } from "./marks.ts";
import { integer, nullable, real, rowsOf } from "../journal/rows.ts";
import type { Sql } from "../journal/sql.ts";
import { SEARCH_ROWS } from "../journal/tables/lists.ts";
import { pick } from "../journal/tables/table.ts";

export const FOREVER = 9_007_199_254_740_991;

export type Between = { readonly since: number; readonly until: number };

const TIMES = `SELECT
  (SELECT created_at FROM search_rows ORDER BY row_key LIMIT 1) AS first,
  (SELECT created_at FROM search_rows ORDER BY row_key DESC LIMIT 1) AS last`;
const DAY = 86_400;
const TIME_ROW = rowsOf("search_rows", { first: nullable(real), last: nullable(real) });
const END_ROW = rowsOf("search_rows", { first: nullable(integer), last: nullable(integer) });
const AT_ROW = rowsOf("search_rows", pick(SEARCH_ROWS, "created_at"));

/** Marks of the days; undefined if there are too many. */
export async function daysBetween(sql: Sql, { since, until }: Between) {
  const { first, last } = await TIME_ROW.one(sql, TIMES);
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
  const { first, last } = await END_ROW.one(sql, ENDS);
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
    const found = await AT_ROW.get(sql, next, middle);
    if (found && found.created_at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
