// The system log. It is stored as the log of a session that no list shows, so it is chained, verified, streamed, backed
// up and moved like any other.
import { ApiError } from "../../events/errors.ts";
import { SYSTEM_LOG, type SystemDraft } from "../../events/system-events.ts";
import { verify } from "../hash-chain.ts";
import type { SystemLog, SystemLogQuery } from "../journal.ts";
import type { Catalogue } from "../project/catalogue.ts";
import { cellsOf, integer, text } from "../rows.ts";
import type { Sql, Value } from "../sql.ts";
import type { Transact, Tx } from "../transaction.ts";

/** Appends in the caller's transaction, so that an action and its record are atomic. Returns the event's id. */
export async function appendToSystemLog(tx: Tx, drafts: readonly SystemDraft[]): Promise<string> {
  await openSystemLog(tx);
  return tx.append(SYSTEM_LOG, drafts);
}

async function openSystemLog(tx: Tx): Promise<void> {
  const session = `INSERT INTO sessions (session_id, created_at, updated_at) VALUES (?, ?, ?)
    ON CONFLICT (session_id) DO NOTHING`;
  if ((await tx.run(session, SYSTEM_LOG, tx.now, tx.now)) === 0) return;
  const log = `INSERT INTO logs (log_id, kind, session_key)
    SELECT session_id, 'session', session_key FROM sessions WHERE session_id = ?`;
  await tx.run(log, SYSTEM_LOG);
  await tx.append(SYSTEM_LOG, [{ type: "house.opened", payload: { by: "house" } }]);
}

const EVENT = cellsOf("events", [integer, integer, text]);

type Kept = { readonly sql: Sql; readonly transact: Transact; readonly catalogue: Catalogue };

export function systemLog({ sql, transact, catalogue }: Kept): SystemLog {
  return {
    types: catalogue.types,
    note: (drafts) => transact(SYSTEM_LOG, (tx) => appendToSystemLog(tx, drafts)),
    async events(query) {
      const { where, params } = conditions(query);
      const select = `SELECT e.seq, e.session_seq, e.body FROM house_entries h
        JOIN logs l ON l.log_id = ? JOIN events e ON e.log_key = l.log_key AND e.seq = h.seq
        WHERE ${where} ORDER BY h.seq DESC LIMIT ?`;
      const rows = await EVENT.all(sql, select, SYSTEM_LOG, ...params, query.limit);
      return rows.map(([seq, , body]) => checked(seq, body));
    },
  };
}

/** Never returns a damaged event (D7). */
function checked(seq: number, body: string): string {
  const inPlace = body.startsWith(`{"event_id":"${SYSTEM_LOG}:${seq}",`);
  if (inPlace && verify(body, undefined) !== undefined) return body;
  const problem = `Event ${seq} of the house's log is damaged. Run "quarterdeck doctor".`;
  throw new ApiError("run_quarantined", problem);
}

function conditions({ before, types, by, since, until }: SystemLogQuery) {
  const asked: [string, ...Value[]][] = [["h.seq < ?", before ?? Number.MAX_SAFE_INTEGER]];
  if (types) asked.push([`h.type IN (${types.map(() => "?").join(", ") || "NULL"})`, ...types]);
  if (by !== undefined) asked.push(["h.actor = ?", by]);
  if (since !== undefined) asked.push(["h.at >= ?", since]);
  if (until !== undefined) asked.push(["h.at < ?", until]);
  return {
    where: asked.map(([sql]) => sql).join(" AND "),
    params: asked.flatMap(([, ...params]) => params),
  };
}
