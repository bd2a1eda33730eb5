// Rebuilds every projection in a temporary database and compares it with the stored one, so that a list that differs for
// whatever reason is found. Also reports rows that differ from their copies and caches with a wrong checksum: all
// damage of a journal file except that of its events.
import { DatabaseSync } from "node:sqlite";
import { FOLLOWS } from "../tables/tables.ts";
import { rebuildProjections } from "../maintenance.ts";
import type { Catalogue } from "../project/catalogue.ts";
import { COPIED } from "../tables/migrations.ts";
import { MIGRATIONS } from "../tables/migrations.ts";
import { COPIES, countDamaged } from "../sqlite/row-copies.ts";
import { indexAll } from "../../search/older.ts";
import { isIntact } from "./snapshots.ts";
import { cellsOf, integer, nullable, rowsOf, text } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { SNAPSHOTS } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";
import { sqliteSearchIndex } from "../sqlite/full-text.ts";
import type { Transact, Tx } from "../transaction.ts";

/** A row number that depends on the order of insertion: session by session, or as events came. */
const NOT_COMPARED: Record<string, readonly string[]> = {
  messages: ["message_key"],
  search_rows: ["row_key"],
  skill_uses: ["last_at"], // from several sessions: the last one wins
};
const SAVED = rowsOf("snapshots", { ...pick(SNAPSHOTS, "seq", "body"), log_id: nullable(text) });
const COLUMN = rowsOf("table_info", { name: text });
const NUMBER = cellsOf("a comparison", [integer]);
const COUNTED_LATER = ["insights", "insight_tools", "insight_backlog"];

/** The problems as sentences. Reads one consistent moment of the journal, even during writes. */
export async function listProblems(path: string, catalogue: Catalogue): Promise<string[]> {
  using db = new DatabaseSync(""); // in memory, or in an unnamed temporary file if it is too large
  for (const sql of MIGRATIONS) db.exec(sql);
  db.exec("DROP TABLE events"); // from here on it owns the connection
  db.prepare("ATTACH ? AS kept").run(path);
  db.exec("BEGIN");
  const problems = [...damagedRows(db), ...damagedSnapshots(db), ...lostKeys(db)];
  await makeAnew(db, catalogue);
  for (const table of comparedTables(db)) {
    const differing = differences(db, table);
    if (differing > 0) problems.push(`${table}: ${differing} rows do not follow from the events`);
  }
  if (isIndexed(db)) problems.push(...wordProblems(db));
  db.exec("ROLLBACK");
  return problems;
}

function damagedRows(db: DatabaseSync): string[] {
  return Object.entries(COPIED).flatMap(([table, columns]) => {
    const damaged = numberOf(db, countDamaged(`kept.${table}`, columns));
    return damaged > 0 ? [`${table}: ${damaged} rows are not as they were written`] : [];
  });
}

/** Events are never deleted, so their keys have no gap. */
function lostKeys(db: DatabaseSync): string[] {
  const gaps =
    "SELECT max(event_key) - count(*) FROM kept.events HAVING max(event_key) <> count(*)";
  const lost = db.prepare(gaps).get();
  return lost ? ["events: their keys have a gap"] : [];
}

function damagedSnapshots(db: DatabaseSync): string[] {
  const saved = db.prepare(`SELECT log_id, s.seq, s.body FROM kept.snapshots s
    LEFT JOIN kept.logs l ON l.log_key = s.log_key`);
  let damaged = 0;
  for (const row of saved.iterate()) {
    const { log_id, seq, body } = SAVED.of(row);
    if (log_id === null || !isIntact(log_id, seq, body)) damaged += 1;
  }
  return damaged > 0 ? [`snapshots: ${damaged} saved folds are not as they were written`] : [];
}

async function makeAnew(db: DatabaseSync, catalogue: Catalogue): Promise<void> {
  for (const table of ["sessions", "logs"] as const) {
    const names = columnsOf(db, table).join(", ");
    db.exec(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM kept.${table}`);
  }
  const tx = transactionOn(db);
  await rebuildProjections(tx, { words: sqliteSearchIndex, catalogue });
  const transact: Transact = (_about, work) => work(tx);
  await indexAll({ sql: tx as unknown as Sql, transact, words: sqliteSearchIndex });
}

function comparedTables(db: DatabaseSync): string[] {
  const later = numberOf(db, "SELECT count(*) FROM kept.insight_backlog") > 0;
  const followed = later ? FOLLOWS.filter((table) => !COUNTED_LATER.includes(table)) : FOLLOWS;
  return [...followed, "sessions", "logs", ...(isIndexed(db) ? ["search_rows"] : [])];
}

/** Whether all events from before the index are indexed. */
function isIndexed(db: DatabaseSync): boolean {
  const from =
    "SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM kept.meta WHERE key = 'search_from'";
  return numberOf(db, from) <= 1;
}

function differences(db: DatabaseSync, table: string): number {
  const left = NOT_COMPARED[table] ?? [];
  const names = columnsOf(db, table)
    .filter((name) => !left.includes(name))
    .join(", ");
  const rows = (schema: string) => `SELECT ${names} FROM ${schema}.${table}`;
  const only = (one: string, other: string) =>
    numberOf(db, `SELECT count(*) FROM (${rows(one)} EXCEPT ${rows(other)})`);
  const count = (schema: string) => numberOf(db, `SELECT count(*) FROM ${schema}.${table}`);
  return Math.max(only("main", "kept"), only("kept", "main"), count("kept") - count("main"));
}

/** Every word with its position, of the stored index and of one built from the indexed rows. */
function wordProblems(db: DatabaseSync): string[] {
  db.exec(`CREATE VIRTUAL TABLE temp.words_kept USING fts5vocab('kept', 'search_words', 'instance');
    CREATE VIRTUAL TABLE temp.words_made USING fts5vocab('main', 'search_words', 'instance')`);
  // Row numbers differ there, so rows are matched by their event.
  const words = (
    schema: string,
    vocabulary: string,
  ) => `SELECT term, r.log_key, r.seq, col, "offset"
    FROM temp.${vocabulary} w JOIN ${schema}.search_rows r ON r.row_key = w.doc`;
  const [kept, made] = [words("kept", "words_kept"), words("main", "words_made")];
  try {
    const counts = ["words_kept", "words_made"].map((name) =>
      numberOf(db, `SELECT count(*) FROM temp.${name}`),
    );
    const differ = numberOf(db, `SELECT count(*) FROM (${kept} EXCEPT ${made})`);
    return differ > 0 || counts[0] !== counts[1]
      ? ["search_words: its words are not those of the rows"]
      : [];
  } catch (error) {
    return [`search_words: ${(error as Error).message}`];
  }
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  const named = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return named.map((row) => COLUMN.of(row).name).filter((name) => !COPIES.includes(name));
}

function numberOf(db: DatabaseSync, sql: string): number {
  return NUMBER.of(Object.values(db.prepare(sql).get() ?? {}))[0];
}

function transactionOn(db: DatabaseSync): Tx {
  const known = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const prepared = (sql: string) => {
    const statement = known.get(sql) ?? db.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  return {
    now: 0,
    get: async (sql, ...params) => prepared(sql).get(...params),
    all: async (sql, ...params) => prepared(sql).all(...params),
    run: async (sql, ...params) => Number(prepared(sql).run(...params).changes),
    runAll: async (statements) => {
      for (const [sql, ...params] of statements) prepared(sql).run(...params);
    },
    lockJournal: async () => undefined,
    log: async () => undefined,
    clean: (value) => value,
    append: () => Promise.reject(new Error("nothing is appended here")),
  };
}
