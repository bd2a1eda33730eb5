import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { Database } from "./database.ts";

const MIB = 1 << 20;
const KEPT = 32 * MIB;

test("[G6] a WAL that has outgrown its use is cut, as soon as no reader is in the way", async () => {
  await using store = sqliteStore();
  using db = new Database({ path: store.path, onFatal: assert.ifError });
  const walBytes = () => statSync(`${store.path}-wal`).size;
  const write = (times: number, bytes = MIB) =>
    db.write(() => {
      for (let at = 0; at < times; at += 1)
        db.run("INSERT INTO big (body) VALUES (?)", "x".repeat(bytes));
    });
  await db.write(() => db.run("CREATE TABLE big (id INTEGER PRIMARY KEY, body TEXT)"));
  using reader = new DatabaseSync(store.path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM big").get();

  for (let round = 0; round < 4; round += 1) {
    await write(20);
    db.checkpoint(); // a reader prevents the restart of the WAL, and blocks no writer
  }
  assert.ok(walBytes() > 2 * KEPT, "nothing could be done about it");
  assert.equal(db.get("PRAGMA busy_timeout")?.["timeout"], 2_000, "commits wait as long as ever");

  reader.exec("COMMIT");
  db.checkpoint();
  await write(1, 1);
  assert.ok(walBytes() <= KEPT + MIB, `${walBytes()} bytes`);
  assert.equal(db.get("SELECT count(*) AS rows FROM big")?.["rows"], 81);
  assert.equal(db.get("PRAGMA integrity_check")?.["integrity_check"], "ok");
});
