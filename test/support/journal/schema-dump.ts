// The structure of a database as lines to compare: tables, columns, keys, indexes, triggers, functions. The layout and
// comments of stored SQL do not count.
import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";

const bare = (sql: unknown) =>
  String(sql)
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\( | (?=[),])/g, (found) => found.trim());

const lines = (rows: readonly object[]) =>
  rows.map((row) => Object.values(row).map(bare).join(" | "));

/** Leaves out the internal tables of FTS5, which depend on the release of SQLite. */
export function sqliteSchema(db: DatabaseSync): string[] {
  const stored =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB '*_words_*' ORDER BY type, name";
  const columns = `SELECT t.name, t.strict, t.wr, c.cid, c.name AS column, c.type, c."notnull", c.dflt_value, c.pk
    FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.schema = 'main' AND t.name NOT GLOB '*_words_*' ORDER BY t.name, c.cid`;
  return [stored, columns].flatMap((sql) => lines(db.prepare(sql).all()));
}

const CATALOGUE = [
  `SELECT c.relname, c.relkind, c.reloptions::text FROM pg_class c WHERE c.relnamespace = $1::regnamespace
   ORDER BY 1`,
  `SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
     a.attnotnull, a.attidentity, a.attstorage, pg_get_expr(d.adbin, d.adrelid)
   FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
   LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = $1::regnamespace AND a.attnum > 0 ORDER BY 1, 2`,
  `SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint
   WHERE connamespace = $1::regnamespace AND contype <> 'n' ORDER BY 1`,
  `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY 1`,
  `SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY 1`,
];

export async function postgresSchema(client: pg.ClientBase, schema: string): Promise<string[]> {
  const found: string[] = [];
  for (const sql of CATALOGUE) found.push(...lines((await client.query(sql, [schema])).rows));
  return found;
}
