// Checks rows where a statement returns them: a column that was renamed in SQL or holds another type is an error that
// names it, not an `undefined` somewhere later. Both databases return the same values (see sql.ts).
// Cheap enough for every read: a row is checked in place and never copied.
import type { Row, Sql, Value } from "./sql.ts";

const WRONG = Symbol("wrong");

/** How a value is stored (its type in each database) and how it is read. `wants` is what an error says. */
export type Column<Read> = {
  readonly wants: string;
  readonly read: (stored: unknown) => Read | typeof WRONG;
  readonly sqlite: "TEXT" | "INTEGER" | "REAL";
  readonly postgres: string;
  readonly isNull?: true;
};
type Read<Of> = Of extends Column<infer Value> ? Value : never;
export type Shape = Readonly<Record<string, Column<unknown>>>;
type Fields<Of extends Shape> = { [Name in keyof Of]: Read<Of[Name]> };

export const text: Column<string> = {
  wants: "a text",
  read: (stored) => (typeof stored === "string" ? stored : WRONG),
  sqlite: "TEXT",
  postgres: "text",
};
/** Compares by bytes, as every text does in SQLite: ids are looked up by ranges, and no locale may reorder them. */
export const id: Column<string> = { ...text, postgres: 'text COLLATE "C"' };
export const integer: Column<number> = {
  wants: "an integer",
  read: (stored) => (Number.isSafeInteger(stored) ? (stored as number) : WRONG),
  sqlite: "INTEGER",
  postgres: "bigint",
};
/** Below 2^31. */
export const small: Column<number> = { ...integer, postgres: "integer" };
export const real: Column<number> = {
  wants: "a number",
  read: (stored) => (typeof stored === "number" ? stored : WRONG),
  sqlite: "REAL",
  postgres: "double precision",
};
export const flag: Column<boolean> = {
  wants: "0 or 1",
  read: (stored) => (stored === 1 ? true : stored === 0 ? false : WRONG),
  sqlite: "INTEGER",
  postgres: "integer",
};

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  const { wants, read } = column;
  return {
    ...column,
    wants: `${wants} or null`,
    read: (stored) => (stored === null ? null : read(stored)),
    isNull: true,
  };
}

/** A text that is one of the given values. */
export function oneOf<const Word extends string>(words: readonly Word[]): Column<Word> {
  const known: ReadonlySet<unknown> = new Set(words);
  return {
    ...text,
    wants: `one of ${words.join(", ")}`,
    read: (stored) => (known.has(stored) ? (stored as Word) : WRONG),
  };
}

/** JSON that was checked before it was written: it is parsed, and not checked again. */
export function json<Value>(): Column<Value> {
  return {
    ...text,
    wants: "JSON",
    read: (stored) => {
      if (typeof stored !== "string") return WRONG;
      try {
        return JSON.parse(stored) as Value;
      } catch {
        return WRONG;
      }
    },
  };
}

type Reader = Pick<Sql, "get" | "all">;
export type Rows<Of> = {
  readonly of: (row: Row) => Of;
  readonly get: (from: Reader, sql: string, ...params: Value[]) => Promise<Of | undefined>;
  /** For a statement that always returns one row, such as a count. */
  readonly one: (from: Reader, sql: string, ...params: Value[]) => Promise<Of>;
  readonly all: (from: Reader, sql: string, ...params: Value[]) => Promise<Of[]>;
};
export type RowOf<Of> = Of extends Rows<infer Value> ? Value : never;

/** `table` is what errors name. Columns that are not in `shape` stay as they are. */
export function rowsOf<const Of extends Shape>(table: string, shape: Of): Rows<Fields<Of>> {
  const columns = Object.entries(shape);
  const of = (row: Row) => {
    for (const [name, column] of columns) {
      const stored = row[name];
      const value = column.read(stored);
      if (value === WRONG) throw new TypeError(problemOf(table, name, column, stored));
      if (value !== stored) row[name] = value;
    }
    return row as Fields<Of>;
  };
  return {
    of,
    async get(from, sql, ...params) {
      const row = await from.get(sql, ...params);
      return row && of(row);
    },
    async one(from, sql, ...params) {
      return of((await from.get(sql, ...params)) ?? {});
    },
    async all(from, sql, ...params) {
      const rows = await from.all(sql, ...params);
      for (const row of rows) of(row);
      return rows as Fields<Of>[];
    },
  };
}

type Cells<Of extends readonly Column<unknown>[]> = { [At in keyof Of]: Read<Of[At]> };

/** The same for rows as arrays (`Sql.rows`). `Wrong` is what is thrown. */
export function cellsOf<const Of extends readonly Column<unknown>[]>(
  table: string,
  columns: Of,
  Wrong: new (message: string) => Error = TypeError,
) {
  const of = (cells: unknown[]) => {
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at]!;
      const value = column.read(cells[at]);
      if (value === WRONG) throw new Wrong(problemOf(table, String(at + 1), column, cells[at]));
      if (value !== cells[at]) cells[at] = value;
    }
    return cells as unknown as Cells<Of>;
  };
  return {
    of,
    async all(from: Pick<Sql, "rows">, sql: string, ...params: Value[]) {
      const rows = await from.rows(sql, ...params);
      for (const row of rows) of(row);
      return rows as unknown as Cells<Of>[];
    },
  };
}

/** Never includes the stored value, which may be a person's text. */
function problemOf(table: string, name: string, { wants }: Column<unknown>, stored: unknown) {
  const is = stored === null ? "null" : stored === undefined ? "missing" : typeof stored;
  return `A row of ${table} cannot be read: column ${name} is ${is}, not ${wants}.`;
}
