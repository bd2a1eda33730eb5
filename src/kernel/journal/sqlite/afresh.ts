// Connections for reading. They see only durable and undamaged rows; a fresh one has nothing cached, and no failed read
// of another connection.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { COPIED } from "../tables/migrations.ts";
import type { Afresh } from "../quarantine.ts";
import { readIntactRows } from "./row-copies.ts";
import type { Sql } from "../sql.ts";

const LOCKED_MS = 10_000;
/** A view has no index: rows are found in the table, and read through the view afterwards. */
const HINTED = /\b(FROM|JOIN) (\w+)((?: \w+)?) (INDEXED BY)/g;

export function openReader(path: string): Disposable & { readonly sql: Sql } {
  const db = new DatabaseSync(path, { readOnly: true, timeout: LOCKED_MS });
  db.exec("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192");
  readIntactRows(db, COPIED);
  return { sql: sqlOf(db), [Symbol.dispose]: () => db.close() };
}

export function sqliteAfresh(path: string): Afresh {
  return async (work) => {
    using reader = openReader(path);
    return await work(reader.sql);
  };
}

function sqlOf(db: DatabaseSync): Sql {
  const [objects, arrays] = [new Map<string, StatementSync>(), new Map<string, StatementSync>()];
  const prepared = (sql: string, known: Map<string, StatementSync>) => {
    let statement = known.get(sql);
    if (!statement) {
      statement = db.prepare(sql.replace(HINTED, "$1 main.$2$3 $4"));
      statement.setReturnArrays(known === arrays);
      known.set(sql, statement);
    }
    return statement;
  };
  return {
    get: async (sql, ...params) => prepared(sql, objects).get(...params),
    all: async (sql, ...params) => prepared(sql, objects).all(...params),
    rows: async (sql, ...params) => prepared(sql, arrays).all(...params) as unknown as unknown[][],
  };
}
