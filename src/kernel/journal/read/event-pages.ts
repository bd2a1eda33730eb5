// Pages of stored events with their heads, which each database provides for reading. reads.ts verifies them.
import type { StoredRow } from "../journal.ts";
import type { Sql } from "../sql.ts";

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

type LogHead = { log_key: number; seq: number; hash: string; quarantined: string | null };
type SessionHead = { session_key: number; seq: number };

/** Reads the head with a separate statement, for a database where a statement costs almost nothing. */
export function eventPages(sql: Sql): EventPages {
  const rowsOf = async (text: string, key: number, { after, limit }: Span) =>
    (await sql.rows(text, key, after, limit)) as unknown as StoredRow[];
  return {
    async ofLog(logId, span) {
      const log = (await sql.get(LOG, logId)) as LogHead | undefined;
      if (!log) return undefined;
      const { seq: head, quarantined } = log;
      const rows = quarantined === null ? await rowsOf(OF_LOG, log.log_key, span) : [];
      return { head, quarantined, rows, hash: rows.at(-1)?.[0] === head ? log.hash : null };
    },
    async ofSession(sessionId, span) {
      const session = (await sql.get(SESSION, sessionId)) as SessionHead | undefined;
      if (!session) return undefined;
      return { head: session.seq, rows: await rowsOf(OF_SESSION, session.session_key, span) };
    },
  };
}
