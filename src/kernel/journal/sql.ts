// SQL is written once, in the subset that SQLite and Postgres share; postgres/translate.ts rewrites what Postgres needs
// differently (the numbering of `?`, lists, hints). Values are those of SQLite: flags are 0 and 1.
export type Value = string | number | null | Uint8Array;
export type Row = Record<string, unknown>;
export type Statement = readonly [sql: string, ...params: Value[]];

/**
 * Reads durable data. Columns are named, never `*`: a statement that Postgres has prepared fails forever once a later
 * release has added one. Lists are passed as JSON: `column IN (SELECT value FROM json_each(?))`.
 */
export interface Sql {
  readonly get: (sql: string, ...params: Value[]) => Promise<Row | undefined>;
  readonly all: (sql: string, ...params: Value[]) => Promise<Row[]>;
  /** Rows as arrays: almost twice as fast as objects, for the read path. */
  readonly rows: (sql: string, ...params: Value[]) => Promise<unknown[][]>;
}
