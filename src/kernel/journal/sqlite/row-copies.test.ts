import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { COPIED, MIGRATIONS } from "../tables/migrations.ts";
import { changeCopies, COPIES, countDamaged, readIntactRows, takeAsIntact } from "./row-copies.ts";

/** Events have hashes, stored folds a checksum, and the search index is compared with its rows. */
const OTHERWISE = /^(events|snapshots|search_words.*|sqlite_.*)$/;

test("[J7a] every column of every table is in a row's copy", () => {
  using db = new DatabaseSync(":memory:");
  for (const sql of MIGRATIONS) db.exec(sql);
  const tables = db.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").all();
  for (const table of tables.map(({ name }) => name as string)) {
    if (OTHERWISE.test(table)) continue;
    const columns = db.prepare("SELECT name, type FROM pragma_table_info(?)").all(table);
    const expected = columns
      .filter(({ name }) => !COPIES.includes(name as string))
      .map(({ name, type }) => `${String(name)}${type === "TEXT" ? "" : "#"}`);
    assert.deepEqual(COPIED[table]?.replace(/[*!]/g, "").split(" "), expected, table);
  }
});

const TABLES = { things: "key# label size#!" };

function things() {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE things (key INTEGER PRIMARY KEY, label TEXT, size REAL) STRICT");
  db.exec("INSERT INTO things VALUES (1, 'there before', 0.1)");
  db.exec(changeCopies({}, TABLES));
  db.exec("INSERT INTO things (key, label, size) VALUES (2, 'a' || char(0) || 'bc', NULL)");
  return db;
}
const damagedIn = (db: DatabaseSync) =>
  db.prepare(countDamaged("main.things", TABLES.things)).get()?.["damaged"];
const harm = (db: DatabaseSync, sql: string) => {
  db.exec(`DROP TRIGGER IF EXISTS things_row_copy; DROP TRIGGER IF EXISTS things_hot_copy; ${sql}`);
};

test("[J7a] rows that were there, are added and are changed are intact; the last bit of a number and what follows a NUL count", () => {
  using db = things();
  db.exec("UPDATE things SET label = 'changed' WHERE key = 1");
  assert.equal(damagedIn(db), 0);
  harm(db, "UPDATE things SET size = 0.10000000000000002 WHERE key = 1");
  assert.equal(damagedIn(db), 1);
  harm(db, "UPDATE things SET label = 'a' || char(0) || 'bd' WHERE key = 2");
  assert.equal(damagedIn(db), 2);
});

test("[J7a] damage outlives a change of the row, is not read, and ends when the row is taken as intact", () => {
  using db = things();
  const trigger = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'things_row_copy'").get();
  harm(db, "UPDATE things SET label = 'here before' WHERE key = 1");
  db.exec(trigger?.["sql"] as string);
  db.exec("UPDATE things SET key = key + 10");
  db.exec("UPDATE things SET key = key - 10");
  assert.equal(damagedIn(db), 1, "the row with the changed label");
  db.exec(takeAsIntact("things", TABLES.things));
  assert.equal(damagedIn(db), 0);
  harm(db, "UPDATE things SET size = 6 WHERE key = 1");
  readIntactRows(db, TABLES);
  assert.deepEqual(
    db
      .prepare("SELECT key FROM things")
      .all()
      .map(({ key }) => key),
    [2],
  );
});

test("[A9] a column that is added later is in the copy of every intact row; damage stays damage", () => {
  using db = things();
  harm(db, "UPDATE things SET label = 'here before' WHERE key = 1");
  db.exec("CREATE TRIGGER things_row_copy AFTER UPDATE OF label ON things BEGIN SELECT 1; END");
  db.exec("ALTER TABLE things ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'");
  const later = { things: `${TABLES.things} colour` };
  db.exec("CREATE TRIGGER things_hot_copy AFTER UPDATE OF size ON things BEGIN SELECT 1; END");
  db.exec(changeCopies(TABLES, later));
  db.exec("INSERT INTO things (key, label) VALUES (3, 'new')");
  db.exec("UPDATE things SET colour = 'red', size = 7");
  const damaged = db.prepare(countDamaged("main.things", later.things)).get();
  assert.equal(damaged?.["damaged"], 1, "the row with the changed label");
  harm(db, "UPDATE things SET colour = 'green' WHERE key = 3");
  readIntactRows(db, later);
  assert.deepEqual(
    db
      .prepare("SELECT key FROM things")
      .all()
      .map(({ key }) => key),
    [2],
  );
});
