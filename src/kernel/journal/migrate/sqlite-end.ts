// A home as an end of a migration. A source is opened read-only, unless an earlier release wrote it.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { blobStore } from "../../blobs/blobs.ts";
import { Database, NewerJournalError } from "../sqlite/database.ts";
import { versionOf } from "../sqlite/journal-file.ts";
import type { Catalogue } from "../project/catalogue.ts";
import { bringUpToDate } from "../maintenance.ts";
import { rowsOf, text } from "../rows.ts";
import { MIGRATIONS } from "../tables/migrations.ts";
import { sqliteReads, transactions } from "../sqlite/transaction.ts";
import { markPath } from "../sqlite/history.ts";
import { sqliteSearchIndex } from "../sqlite/full-text.ts";
import { journalPath } from "../sqlite/sqlite.ts";
import {
  BATCH_CHARS,
  BATCH_ROWS,
  type Cells,
  charsOf,
  MigrationError,
  quoted,
  type Rows,
  type Snapshot,
  type Source,
  type Target,
} from "./ends.ts";

export async function sqliteSource(home: string): Promise<Source> {
  const path = journalPath(home);
  if (!existsSync(path)) throw new MigrationError(`There is no journal in ${home}.`);
  const version = versionIn(path);
  if (version > MIGRATIONS.length) {
    throw new NewerJournalError(`The journal ${path} was written by a newer Quarterdeck. Upgrade.`);
  }
  if (version < MIGRATIONS.length) openDatabase(path)[Symbol.dispose]();
  return { ...endOf(home), [Symbol.asyncDispose]: async () => undefined };
}

export async function sqliteTarget(home: string, catalogue: Catalogue): Promise<Target> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const db = openDatabase(journalPath(home));
  const words = sqliteSearchIndex;
  const sealing = { epoch: "", redact: undefined, words, catalogue };
  const transact = transactions(db, sealing, () => {});
  return {
    ...endOf(home),
    transact,
    emptied: (tables) => tables.map((table) => [`DELETE FROM ${quoted(table)}`]),
    async insert(rows) {
      insert(db, rows);
      db.checkpoint(); // each batch is as much as is written in minutes elsewhere
    },
    async complete() {
      rmSync(markPath(home), { force: true }); // of a journal that was here before
      await bringUpToDate({ sql: sqliteReads(db), transact, words, catalogue });
    },
    async [Symbol.asyncDispose]() {
      db[Symbol.dispose]();
    },
  };
}

function endOf(home: string) {
  const path = journalPath(home);
  return {
    name: home,
    blobs: blobStore(join(home, "blobs")),
    isShared: false,
    snapshot: async () => snapshotOf(path),
  };
}

function openDatabase(path: string): Database {
  return new Database({ path, onFatal: () => undefined }); // the writer reports the error
}

function versionIn(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  return versionOf(db);
}

const NAMED = rowsOf("sqlite_schema", { name: text });

function snapshotOf(path: string): Snapshot {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  db.exec("BEGIN"); // all reads from here on see one moment
  const named = (sql: string, ...values: string[]) =>
    db
      .prepare(sql)
      .all(...values)
      .map((row) => NAMED.of(row).name);
  return {
    tables: async () => named("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
    columns: async (table) =>
      named(
        "SELECT name FROM pragma_table_info(?) WHERE name NOT IN ('row_copy', 'hot_copy')",
        table,
      ),
    async *batches(sql) {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      let batch: Cells[] = [];
      let chars = 0;
      for (const row of statement.iterate() as Iterable<unknown> as Iterable<Cells>) {
        batch.push(row);
        chars += charsOf(row);
        if (batch.length < BATCH_ROWS && chars < BATCH_CHARS) continue;
        yield batch;
        [batch, chars] = [[], 0];
      }
      if (batch.length > 0) yield batch;
    },
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

function insert(db: Database, { table, columns, rows }: Rows): void {
  const names = columns.map(quoted).join(", ");
  const marks = columns.map(() => "?").join(", ");
  const statement = db.statement(`INSERT INTO ${quoted(table)} (${names}) VALUES (${marks})`);
  db.writeNow(() => {
    for (const row of rows) statement.run(...row);
  });
}
