// Pages of stored events with their heads, which each database provides for reading. reads.ts verifies them.
import type { StoredRow } from "../journal.ts";
import { cellsOf, integer, rowsOf, text } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { Corruption } from "../sqlite/corruption.ts";
import { LOGS, SESSIONS } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";

export type Span = { readonly after: number; readonly limit: number };

export type LogPage = {
  readonly head: number;
  readonly quarantined: string | null;
  /** The hash of the head, if the last row is the head. */
  readonly hash: string | null;
  readonly rows: readonly StoredRow[];
};
export type SessionPage = { readonly head: number; readonly rows: readonly StoredRow[] };

/** Undefined if there is no such log or session. */
export type EventPages = {
  readonly ofLog: (logId: string, span: Span) => Promise<LogPage | undefined>;
  readonly ofSession: (sessionId: string, span: Span) => Promise<SessionPage | undefined>;
};

const LOG = "SELECT log_key, seq, hash, quarantined FROM logs WHERE log_id = ?";
const SESSION = "SELECT session_key, seq FROM sessions WHERE session_id = ?";
const OF_LOG = `SELECT seq, session_seq, body FROM events WHERE log_key = ? AND seq > ?
  ORDER BY seq LIMIT ?`;
const OF_SESSION = `SELECT seq, session_seq, body FROM events
  WHERE session_key = ? AND session_seq > ? ORDER BY session_seq LIMIT ?`;

const LOG_HEAD = rowsOf("logs", pick(LOGS, "log_key", "seq", "hash", "quarantined"));
const SESSION_HEAD = rowsOf("sessions", pick(SESSIONS, "session_key", "seq"));
const EVENT = cellsOf("events", [integer, integer, text], Corruption);

/** Reads the head with a separate statement, for a database where a statement costs almost nothing. */
export function eventPages(sql: Sql): EventPages {
  const eventsOf = (select: string, key: number, { after, limit }: Span) =>
    EVENT.all(sql, select, key, after, limit);
  return {
    async ofLog(logId, span) {
      const log = await LOG_HEAD.get(sql, LOG, logId);
      if (!log) return undefined;
      const { seq: head, quarantined } = log;
      const rows = quarantined === null ? await eventsOf(OF_LOG, log.log_key, span) : [];
      return { head, quarantined, rows, hash: rows.at(-1)?.[0] === head ? log.hash : null };
    },
    async ofSession(sessionId, span) {
      const session = await SESSION_HEAD.get(sql, SESSION, sessionId);
      if (!session) return undefined;
      return { head: session.seq, rows: await eventsOf(OF_SESSION, session.session_key, span) };
    },
  };
}
