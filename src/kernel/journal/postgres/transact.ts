// Transactions in Postgres. A transaction that decides about a session locks its row first: no other one appends to it,
// claims a run of it or decides about it meanwhile, so what it reads afterwards is current. If the answer to a commit is
// lost, the commit is looked up: no command is executed twice, and none that was executed is reported as failed.
import type pg from "pg";
import { SELECT_LOG, numberEvents, LogRow, type AppendContext } from "../append.ts";
import type { Wake } from "../journal.ts";
import { redactValue } from "../../redact/draft.ts";
import { real, rowsOf, text } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { Transact, Tx } from "../transaction.ts";
import { wakeOf } from "../wakes.ts";
import { hasCollided, isLost, withoutQueryTimeout, type Connection } from "./connection.ts";
import { all, run } from "./sql-client.ts";
import { storeEvents } from "./store-events.ts";
import { literal, written } from "./translate.ts";

/** A concurrent transaction came first: the unique row exists by now. */
const UNIQUE_VIOLATION = "23505";
const TRIES = 8;

const LOCKED_LOG = `${SELECT_LOG} FOR UPDATE OF s, l`;

export type Transactions = {
  readonly connection: Connection;
  readonly sealing: AppendContext;
  readonly published: (wakes: Wake[]) => void;
};

export function transactions({ connection, sealing, published }: Transactions): Transact {
  return async (about, work) => {
    for (let tries = 1; ; tries += 1) {
      const wakes: Wake[] = [];
      try {
        const result = await connection.persist(() =>
          once(connection, about, (tx) => work(tx), { sealing, wakes }),
        );
        published(wakes);
        return result;
      } catch (error) {
        const { code } = error as { code?: string };
        const again = hasCollided(error) || code === UNIQUE_VIOLATION;
        if (!again || tries === TRIES) throw error;
      }
    }
  };
}

type Deps = { readonly sealing: AppendContext; readonly wakes: Wake[] };

async function once<Result>(
  connection: Connection,
  about: string | null,
  work: (tx: Tx) => Promise<Result>,
  { sealing, wakes }: Deps,
): Promise<Result> {
  wakes.length = 0;
  let done: { result: Result; xid: string } | undefined;
  try {
    return await connection.withClient(async (client) => {
      try {
        const { now, xid } = await begin(client, about);
        const result = await work(postgresTx(client, { now, sealing, wakes }));
        done = { result, xid };
        const { command } = await client.query("COMMIT");
        if (command !== "COMMIT") throw new Error("the transaction had failed before its end");
        return result;
      } catch (error) {
        if (!isLost(error)) await client.query("ROLLBACK").catch(() => undefined);
        throw error;
      }
    });
  } catch (error) {
    if (!done || !isLost(error)) throw error;
    if (await wasCommitted(connection, done.xid)) return done.result;
    throw error; // it was not stored: retry
  }
}

const BEGUN = rowsOf("a transaction", { now: real, xid: text });

async function begin(client: pg.ClientBase, about: string | null) {
  const lock =
    about === null
      ? ""
      : `; SELECT pg_advisory_xact_lock(hashtextextended(${literal(about)}, 0));
         SELECT 1 FROM sessions WHERE session_key =
           (SELECT session_key FROM logs WHERE log_id = ${literal(about)}) FOR UPDATE`;
  // One text is one round trip: node-postgres returns the results of each statement.
  const answers = (await client.query(
    `BEGIN; SELECT extract(epoch FROM clock_timestamp())::float8 AS now, pg_current_xact_id()::text AS xid${lock}`,
  )) as unknown as pg.QueryResult<Row>[];
  return BEGUN.of(answers[1]?.rows[0] ?? {});
}

/** Asks until the outcome is known: a transaction may still be ending on a server that lost its client. */
async function wasCommitted(connection: Connection, xid: string): Promise<boolean> {
  for (;;) {
    const status = await connection.persist(async () => {
      const sql = `SELECT pg_xact_status('${xid}'::xid8) AS status`;
      return (await connection.pool.query<{ status: string | null }>(sql)).rows[0]?.status;
    }, Number.POSITIVE_INFINITY);
    if (status !== "in progress") return status === "committed";
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

type TxDeps = Deps & { readonly now: number };

function postgresTx(connected: pg.ClientBase, { now, sealing, wakes }: TxDeps): Tx {
  const { redact } = sealing;
  let client: Pick<pg.ClientBase, "query"> = connected;
  const locked = async (logId: string) =>
    (await all(client, LOCKED_LOG, [logId])).map(LogRow.of)[0];
  return {
    now,
    get: async (sql, ...params) => (await all(client, sql, params))[0],
    all: (sql, ...params) => all(client, sql, params),
    run: (sql, ...params) => run(client, sql, params),
    runAll: async (statements) => {
      if (statements.length > 0) await client.query(statements.map(written).join(";\n"));
    },
    // The current holder of the session comes first; with a weaker lock two transactions would deadlock.
    lockJournal: async () => {
      client = withoutQueryTimeout(connected);
      await client.query("LOCK TABLE sessions IN EXCLUSIVE MODE");
    },
    log: locked,
    clean: <Value>(value: Value) => (redact ? (redactValue(value, redact) as Value) : value),
    append: async (logId, drafts) => {
      const log = await locked(logId);
      if (!log || log.ended_at !== null) throw new Error(`nothing may follow the end of ${logId}`);
      const appended = numberEvents(log, drafts, sealing);
      await storeEvents(client, [{ log, appended }]);
      wakes.push(wakeOf(appended));
      return `${logId}:${appended.head.seq}`;
    },
  };
}
