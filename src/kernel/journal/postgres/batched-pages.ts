// Pages of events from Postgres, head and rows in one statement. Requests that arrive while others are in flight are
// batched: however many logs change at once, a server makes one round trip for all of them instead of two for each.
import type { EventPages, LogPage, SessionPage, Span } from "../read/event-pages.ts";
import type { StoredRow } from "../journal.ts";
import type { Connection } from "./connection.ts";
import { cellsOf, integer, nullable, text } from "../rows.ts";
import { storable } from "./translate.ts";

const AT_ONCE = 2; // statements under way
const TOGETHER = 16; // pages in one of them

const ASKED =
  "unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS asked (id, after, most, place)";
const OF_LOGS = `
  SELECT place, l.seq, e.seq, e.session_seq, e.body, l.quarantined, CASE WHEN e.seq = l.seq THEN l.hash END
  FROM ${ASKED}
  JOIN logs l ON l.log_id = asked.id COLLATE "C"
  LEFT JOIN LATERAL (
    SELECT seq, session_seq, body FROM events
    WHERE log_key = l.log_key AND seq > asked.after AND l.quarantined IS NULL ORDER BY seq LIMIT asked.most
  ) e ON true
  ORDER BY place, e.seq`;
const OF_SESSIONS = `
  SELECT place, s.seq, e.seq, e.session_seq, e.body
  FROM ${ASKED}
  JOIN sessions s ON s.session_id = asked.id COLLATE "C"
  LEFT JOIN LATERAL (
    SELECT seq, session_seq, body FROM events
    WHERE session_key = s.session_key AND session_seq > asked.after ORDER BY session_seq LIMIT asked.most
  ) e ON true
  ORDER BY place, e.session_seq`;

/** Place, head, and an event's seq, session_seq and body; of a log also why it is quarantined, and its head's hash. */
const PAGE = [integer, integer, nullable(integer), nullable(integer), nullable(text)] as const;
const OF_SESSION = cellsOf("sessions and events", PAGE);
const OF_LOG = cellsOf("logs and events", [...PAGE, nullable(text), nullable(text)]);
type SessionRow = ReturnType<typeof OF_SESSION.of>;
type LogRow = ReturnType<typeof OF_LOG.of>;

export function batchedPages(connection: Connection): EventPages {
  const logs = gathering(connection, { name: "pages_of_logs", text: OF_LOGS }, OF_LOG.of);
  const sessions = gathering(
    connection,
    { name: "pages_of_sessions", text: OF_SESSIONS },
    OF_SESSION.of,
  );
  return {
    async ofLog(logId, span): Promise<LogPage | undefined> {
      const found = await logs(logId, span);
      const last = found.at(-1);
      if (!last) return undefined;
      const [, head, , , , quarantined, hash] = last;
      return { head, quarantined, hash, rows: eventsIn(found) };
    },
    async ofSession(sessionId, span): Promise<SessionPage | undefined> {
      const found = await sessions(sessionId, span);
      return found[0] && { head: found[0][1], rows: eventsIn(found) };
    },
  };
}

function eventsIn(found: readonly (SessionRow | LogRow)[]): readonly StoredRow[] {
  return found.flatMap(([, , seq, sessionSeq, body]): StoredRow[] =>
    seq === null || sessionSeq === null || body === null ? [] : [[seq, sessionSeq, body]],
  );
}

type Asked<Row> = {
  readonly id: string;
  readonly span: Span;
  readonly answer: PromiseWithResolvers<readonly Row[]>;
};
type Statement = { readonly name: string; readonly text: string };

/** The rows of one request of the batch; none if there is no such log. */
function gathering<Row extends SessionRow | LogRow>(
  connection: Connection,
  statement: Statement,
  rowOf: (cells: unknown[]) => Row,
) {
  let waiting: Asked<Row>[] = [];
  let busy = 0;

  async function askFor(group: readonly Asked<Row>[]): Promise<void> {
    const values = [
      group.map(({ id }) => storable(id)), // one invalid request must not fail the whole batch
      group.map(({ span }) => span.after),
      group.map(({ span }) => span.limit),
    ];
    try {
      const { rows } = await connection.persist(() =>
        connection.withClient((client) =>
          client.query<unknown[]>({ ...statement, values, rowMode: "array" }),
        ),
      );
      const found = Map.groupBy(rows.map(rowOf), ([place]) => place);
      for (const [at, { answer }] of group.entries()) answer.resolve(found.get(at + 1) ?? []);
    } catch (error) {
      for (const { answer } of group) answer.reject(error);
    }
  }

  function next(): void {
    if (busy === AT_ONCE || waiting.length === 0) return;
    const group = waiting.slice(0, TOGETHER);
    waiting = waiting.slice(TOGETHER);
    busy += 1;
    void askFor(group).finally(() => {
      busy -= 1;
      next();
    });
  }

  return (id: string, span: Span): Promise<readonly Row[]> => {
    const answer = Promise.withResolvers<readonly Row[]>();
    waiting.push({ id, span, answer });
    next();
    return answer.promise;
  };
}
