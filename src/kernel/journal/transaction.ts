// The interface between records that are written once and the database that stores them. Everything except the hot path
// (append, claim) uses it, so it runs on every database unchanged.
import type { AnyDraft } from "../events/system-events.ts";
import type { LogRow } from "./append.ts";
import type { Row, Sql, Statement, Value } from "./sql.ts";

export interface Tx {
  readonly now: number; // unix seconds by the database's clock
  readonly get: (sql: string, ...params: Value[]) => Promise<Row | undefined>;
  readonly all: (sql: string, ...params: Value[]) => Promise<Row[]>;
  run(sql: string, ...params: Value[]): Promise<number>;
  /** Runs statements in order without their results: one round trip for all. */
  runAll(statements: readonly Statement[]): Promise<void>;
  /** Until the transaction ends, no other process appends anything or creates a session. */
  lockJournal(): Promise<void>;
  log(logId: string): Promise<LogRow | undefined>;
  /** Redacts secrets, for stored values that are not events. */
  clean<Value>(value: Value): Value;
  /** The id of the last event appended. */
  append(logId: string, drafts: readonly AnyDraft[]): Promise<string>;
}

/**
 * Atomic, and durable when it resolves. `about` is the session (or one of its runs) that the work decides about: until
 * the end, no other transaction appends to it, claims a run of it or decides about it. It may also be the name of
 * another record, which is locked in the same way. Null: a unique index guarantees uniqueness. `work` may run again
 * from the start, so it must not keep state outside.
 */
export type Transact = <Result>(
  about: string | null,
  work: (tx: Tx) => Promise<Result>,
) => Promise<Result>;

/** The database handle with which features use their own tables. */
export type JournalDatabase = { readonly sql: Sql; readonly transact: Transact };
