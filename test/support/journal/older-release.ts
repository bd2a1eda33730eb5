// Journals of an earlier release, made from the events of a journal of this release.
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../../src/kernel/journal/tables/migrations.ts";

const FIRST = ["meta", "sessions", "logs", "events", "requests", "commands"];
/** The tables of a release that are not rebuilt from events. */
export const RELEASES = [
  { version: 1, tables: FIRST },
  { version: 2, tables: [...FIRST, "projects", "changes"] },
  {
    version: 6, // before the search index: its lists are kept, and everything is indexed again
    tables: [...FIRST, "projects", "changes", "messages", "usage", "grants"],
  },
];
export type Release = (typeof RELEASES)[number];

/** The same events as that release would have stored them. */
export function asRelease({ version, tables }: Release, from: string, to: string): void {
  using db = new DatabaseSync(to);
  for (const sql of MIGRATIONS.slice(0, version)) db.exec(sql);
  db.exec(`PRAGMA user_version = ${version}`);
  db.prepare("ATTACH ? AS now").run(from);
  for (const table of tables) {
    const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    const names = columns.map(({ name }) => name as string).join(", ");
    db.exec(`INSERT INTO ${table} (${names}) SELECT ${names} FROM now.${table}`);
  }
  db.exec("DELETE FROM meta WHERE key IN ('projections', 'search_from')");
  const projections = { 2: "1", 6: "2" }[version];
  if (projections) db.exec(`INSERT INTO meta VALUES ('projections', '${projections}')`);
}

/** The tables before rows had copies of themselves. */
export function withoutCopies(db: DatabaseSync): void {
  const copies = `SELECT t.name AS "table", c.name AS copy FROM pragma_table_list t
    JOIN pragma_table_info(t.name) c WHERE c.name IN ('row_copy', 'hot_copy')`;
  for (const { table, copy } of db.prepare(copies).all() as { table: string; copy: string }[]) {
    db.exec(`DROP TRIGGER ${table}_${copy}; DROP TRIGGER ${table}_${copy}_new;
      ALTER TABLE ${table} DROP COLUMN ${copy}`);
  }
}
