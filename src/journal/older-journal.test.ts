// A journal of the first release opens, knows of its past what this release keeps, and goes on.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import * as d from "../../test/support/drafts.ts";
import { sqliteStore } from "../../test/support/sqlite-store.ts";
import * as s from "./contract/store.contract.ts";
import { initial } from "./migrations/001-initial.ts";
import { journalPath, openSqlite } from "./sqlite.ts";

const TABLES = ["meta", "sessions", "logs", "events", "requests", "commands"];

/** The same events as the first release would have kept them. */
function asFirstRelease(from: string, to: string): void {
  using db = new DatabaseSync(to);
  db.exec(initial);
  db.exec("PRAGMA user_version = 1");
  db.prepare("ATTACH ? AS now").run(from);
  for (const table of TABLES) {
    const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    const names = columns.map(({ name }) => name as string).join(", ");
    db.exec(`INSERT INTO ${table} (${names}) SELECT ${names} FROM now.${table}`);
  }
  db.exec("DELETE FROM meta WHERE key = 'projections'");
}

test("[D9, J7] a journal of the first release opens, is brought up to date, and goes on", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.used(1, 7), d.changed("c1", "a.txt"));
  await s.write(journal, claim, d.said("m1", "aye aye"), d.approvalAsked("c1"));
  const waiting = await s.start(journal, { message: "later", message_id: "k1" });
  const before = await s.lists(journal);
  await store.closeAll();

  const home = mkdtempSync(join(tmpdir(), "qd-old-"));
  try {
    asFirstRelease(store.path, journalPath(home));
    await using old = openSqlite({ home });
    assert.deepEqual(await s.lists(old), before);
    assert.equal((await old.spent(runId)).tokens, 7);
    const hits = await old.searchMessages({ words: "aye", profile: "default", limit: 5 });
    assert.equal(hits[0]?.run_id, runId);
    const ids = { runId: waiting, messageId: "k1" };
    assert.equal((await old.editMessage(ids, { text: "sooner" }))?.status, "accepted");
    assert.equal((await s.start(old, { message: "next" })).length > 0, true);
    assert.deepEqual(await old.verify(), []);
    await s.checkSession(old, "s1");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("[D9, J7] lists are brought up to date once, not at every start", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal);
  await store.closeAll();
  const title = "SELECT title FROM sessions";
  {
    using db = new DatabaseSync(store.path);
    db.exec("UPDATE sessions SET title = 'as it is'");
  }
  await store.connect();
  using db = new DatabaseSync(store.path, { readOnly: true });
  assert.equal(db.prepare(title).get()?.["title"], "as it is");
});
