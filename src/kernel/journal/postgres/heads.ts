// Reads the heads of logs under lock, and finds out whether an append without an answer was stored.
import type pg from "pg";
import { SELECT_LOG, LogRow } from "../append.ts";
import type { Asked } from "./plan.ts";
import { all } from "./sql-client.ts";

const LOCK_SESSIONS = `
  SELECT 1 FROM sessions WHERE session_key IN (
    SELECT session_key FROM logs WHERE log_id IN (SELECT value FROM json_each(?)))
  ORDER BY session_key FOR UPDATE`;
const LOCKED = `${SELECT_LOG.replace("l.log_id = ?", "l.log_id IN (SELECT value FROM json_each(?))")}
  ORDER BY l.log_key FOR UPDATE OF l`;

/** Sessions before logs, each in the order of their keys, as everywhere, so that writers cannot deadlock. */
export async function lockedHeads(
  client: pg.ClientBase,
  asked: readonly Asked[],
): Promise<Map<string, LogRow>> {
  const ids = JSON.stringify([...new Set(asked.map(({ entry }) => entry.claim.runId))]);
  await all(client, LOCK_SESSIONS, [ids]);
  const rows = (await all(client, LOCKED, [ids])).map(LogRow.of);
  return new Map(rows.map((row) => [row.log_id, row]));
}

/** The seq at which an append without an answer was stored, if it was. */
export async function found(
  client: pg.ClientBase,
  asked: readonly Asked[],
  known: ReadonlyMap<string, LogRow>,
): Promise<Map<Asked, number>> {
  const there = new Map<Asked, number>();
  for (const each of asked) {
    for (const { log_id, log_key, seq, hash } of each.sent) {
      if (seq > (known.get(log_id)?.seq ?? 0)) continue;
      const sql = "SELECT 1 FROM events WHERE log_key = ? AND seq = ? AND body LIKE ?";
      const [row] = await all(client, sql, [log_key, seq, `%,"hash":"${hash}"}`]);
      if (row) there.set(each, seq);
    }
  }
  return there;
}
