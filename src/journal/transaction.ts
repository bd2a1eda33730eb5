// The small seam between records written once and the database they go to. Everything that is not
// the hot path (append, read, claim) talks to this, so it can run on another backend unchanged.
import type { SQLInputValue } from "node:sqlite";
import type { Draft } from "../protocol/events.ts";
import { appendTo, findLog, type LogRow } from "./append.ts";
import type { Database, Row } from "./database.ts";
import type { Wake } from "./journal.ts";
import { redactValue } from "./redact-draft.ts";

export interface Tx {
  readonly now: number; // unix seconds by the database's clock
  get(sql: string, ...params: SQLInputValue[]): Promise<Row | undefined>;
  all(sql: string, ...params: SQLInputValue[]): Promise<Row[]>;
  run(sql: string, ...params: SQLInputValue[]): Promise<number>;
  log(logId: string): Promise<LogRow | undefined>;
  /** Without secrets: for whatever is kept and is not an event. */
  clean<Value>(value: Value): Value;
  /** The id of the last event appended. */
  append(logId: string, drafts: readonly Draft[]): Promise<string>;
}

export type Transact = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

export function transactions(db: Database, published: (wakes: Wake[]) => void): Transact {
  return async (work) => {
    const wakes: Wake[] = [];
    const result = await db.write(() => work(sqliteTx(db, wakes)));
    published(wakes);
    return result;
  };
}

function sqliteTx(db: Database, wakes: Wake[]): Tx {
  return {
    now: db.now(),
    get: async (sql, ...params) => db.get(sql, ...params),
    all: async (sql, ...params) => db.all(sql, ...params),
    run: async (sql, ...params) => db.run(sql, ...params),
    log: async (logId) => findLog(db, logId),
    clean: <Value>(value: Value) => (db.redact ? (redactValue(value, db.redact) as Value) : value),
    append: async (logId, drafts) => {
      const log = findLog(db, logId);
      if (!log || log.ended_at !== null) throw new Error(`nothing may follow the end of ${logId}`);
      const wake = appendTo(db, log, drafts);
      wakes.push(wake);
      return `${logId}:${wake.seq}`;
    },
  };
}
