// The small seam between records written once and the database they go to. Everything that is not
// the hot path (append, claim) talks to this, so it runs on every backend unchanged.
import type { AnyDraft } from "../events/system-events.ts";
import type { LogRow } from "./append.ts";
import type { Row, Sql, Statement, Value } from "./sql.ts";

export interface Tx {
  readonly now: number; // unix seconds by the database's clock
  readonly get: (sql: string, ...params: Value[]) => Promise<Row | undefined>;
  readonly all: (sql: string, ...params: Value[]) => Promise<Row[]>;
  run(sql: string, ...params: Value[]): Promise<number>;
  /** One after the other, of which nobody wants to know what they did: one round trip for all. */
  runAll(statements: readonly Statement[]): Promise<void>;
  /** From here to the end nobody else appends to anything, or makes a session. */
  lockJournal(): Promise<void>;
  log(logId: string): Promise<LogRow | undefined>;
  /** Without secrets: for whatever is kept and is not an event. */
  clean<Value>(value: Value): Value;
  /** The id of the last event appended. */
  append(logId: string, drafts: readonly AnyDraft[]): Promise<string>;
}

/**
 * All of it or nothing, durable when it resolves. `about`: the session (or a run of it) that is decided about:
 * until the end nobody else appends to it, claims a run of it or decides about it. Or the name of another record,
 * about which then nobody else decides. Null: what must be unique has a unique index. `work` may run again from the
 * start, so it keeps nothing outside.
 */
export type Transact = <Result>(
  about: string | null,
  work: (tx: Tx) => Promise<Result>,
) => Promise<Result>;

/** Where features keep tables of their own. */
export type JournalDatabase = { readonly sql: Sql; readonly transact: Transact };
