// Transactions in SQLite: one writer at a time, whatever the transaction is about.
import { redactValue } from "../../redact/draft.ts";
import type { AppendContext } from "../append.ts";
import type { Database } from "./database.ts";
import type { Wake } from "../journal.ts";
import { appendTo, findLog } from "./append.ts";
import type { Sql } from "../sql.ts";
import type { Transact, Tx } from "../transaction.ts";

export function sqliteReads(db: Database): Sql {
  return {
    get: (sql, ...params) => db.read(() => db.get(sql, ...params)),
    all: (sql, ...params) => db.read(() => db.all(sql, ...params)),
    rows: (sql, ...params) => db.read(() => db.rows(sql, ...params)),
  };
}

export function transactions(
  db: Database,
  sealing: AppendContext,
  published: (wakes: Wake[]) => void,
): Transact {
  return async (_about, work) => {
    const wakes: Wake[] = [];
    const result = await db.write(() => work(sqliteTx(db, sealing, wakes)));
    published(wakes);
    return result;
  };
}

function sqliteTx(db: Database, sealing: AppendContext, wakes: Wake[]): Tx {
  const { redact } = sealing;
  return {
    now: db.now(),
    get: async (sql, ...params) => db.get(sql, ...params),
    all: async (sql, ...params) => db.all(sql, ...params),
    run: async (sql, ...params) => db.run(sql, ...params),
    runAll: async (statements) => {
      for (const [sql, ...params] of statements) db.run(sql, ...params);
    },
    lockJournal: async () => undefined, // SQLite has one writer, so it always is
    log: async (logId) => findLog(db, logId),
    clean: <Value>(value: Value) => (redact ? (redactValue(value, redact) as Value) : value),
    append: async (logId, drafts) => {
      const log = findLog(db, logId);
      if (!log || log.ended_at !== null) throw new Error(`nothing may follow the end of ${logId}`);
      const wake = appendTo(db, log, drafts, sealing);
      wakes.push(wake);
      return `${logId}:${wake.seq}`;
    },
  };
}
