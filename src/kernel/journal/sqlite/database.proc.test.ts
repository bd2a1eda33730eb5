import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { started, token } from "../../../../test/support/drafts.ts";
import { connectPeer, stopPeers } from "../../../../test/support/peer.ts";
import { sqliteStore, type SqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import type { BlobStore } from "../../blobs/blobs.ts";
import { catalogueOf } from "../project/catalogue.ts";
import { records } from "../records.ts";
import { claims } from "../claims.ts";
import * as s from "../contract/store.contract.ts";
import { Database, FatalJournalError, NewerJournalError, StorageFullError } from "./database.ts";
import { groupCommit } from "../group-commit.ts";
import type { Journal } from "../journal.ts";
import { isDamage } from "./journal-file.ts";
import { openSqlite } from "./sqlite.ts";
import { sqliteGroups } from "./group.ts";
import { sqliteReads, transactions } from "./transaction.ts";
import { sqliteSearchIndex } from "./full-text.ts";
import { FEATURES } from "../../../features/journal-features.ts";

after(stopPeers);

function openDatabase(store: SqliteStore): Database {
  return new Database({ path: store.path, onFatal: (error) => void store.fatal.push(error) });
}

test("[J3, D1] every commit is synced, and nothing checkpoints behind our back", async () => {
  await using store = sqliteStore();
  using db = openDatabase(store);
  const pragma = (name: string) => Object.values(db.get(`PRAGMA ${name}`) ?? {})[0];
  assert.deepEqual(
    ["journal_mode", "synchronous", "wal_autocheckpoint"].map(pragma),
    ["wal", 2, 0], // 2: FULL
  );
});

test("[S] the journal is readable by its owner only", async () => {
  await using store = sqliteStore();
  await s.withRun(store);
  assert.equal(statSync(store.path).mode & 0o777, 0o600);
  assert.equal(statSync(store.home).mode & 0o777, 0o700);
});

/** What closing another descriptor, copying or cleaning up can do to a running writer's WAL. */
const REPLACEMENTS = {
  replaced(path: string) {
    renameSync(`${path}-wal`, `${path}-gone`); // kept, so that its inode is not used again
    writeFileSync(`${path}-wal`, readFileSync(`${path}-gone`));
  },
  removed: (path: string) => renameSync(`${path}-wal`, `${path}-gone`),
};

for (const [how, replace] of Object.entries(REPLACEMENTS)) {
  test(`[J9, D8] a write-ahead log that was ${how} is fatal, and nothing is acknowledged`, async () => {
    await using store = sqliteStore();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, started());
    replace(store.path);

    await assert.rejects(journal.append(claim, [token("m1", "a")]), FatalJournalError);
    await assert.rejects(journal.commands.cancelRun(runId, {}), FatalJournalError);
    await assert.rejects(s.start(journal), FatalJournalError);
    assert.equal(store.fatal.length, 3);
    assert.match(store.fatal[0]?.message ?? "", /write-ahead log was replaced/);
  });
}

test("[J10, D9] a newer journal is refused untouched", async () => {
  await using store = sqliteStore();
  await s.withRun(store);
  await store.closeAll();
  {
    using db = new DatabaseSync(store.path);
    db.exec("PRAGMA journal_mode = DELETE; PRAGMA user_version = 999");
  }
  const look = () => [
    createHash("sha256").update(readFileSync(store.path)).digest("hex"),
    statSync(store.path).mtimeMs,
    readdirSync(store.home).toSorted(),
  ];
  const before = look();
  await assert.rejects(openSqlite({ features: FEATURES, home: store.home }), NewerJournalError);
  assert.deepEqual(look(), before);
});

test("[J10] what is no journal is refused untouched", async () => {
  await using store = sqliteStore();
  const text = "Not a database at all. ".repeat(100);
  writeFileSync(store.path, text);
  await assert.rejects(openSqlite({ features: FEATURES, home: store.home }));
  assert.equal(readFileSync(store.path, "utf8"), text);
});

test("[J10] processes that start at once agree on one journal", async () => {
  await using store = sqliteStore();
  const open = (name: string) => connectPeer({ home: store.home, name });
  const journals = await Promise.all([open("a"), open("b"), open("c")]);
  assert.equal(new Set(journals.map(({ epoch }) => epoch)).size, 1);
  for (const journal of journals) await journal[Symbol.asyncDispose]();
});

const NO_FILES = { size: async () => undefined } as unknown as BlobStore;

/** The journal's parts on a database whose size the test can limit. */
function partsOn(db: Database): Journal {
  const words = sqliteSearchIndex;
  const catalogue = catalogueOf(FEATURES);
  const sealing = { epoch: db.epoch, redact: undefined, words, catalogue };
  const silent = () => undefined;
  const transact = transactions(db, sealing, silent);
  const sql = sqliteReads(db);
  const kept = records(
    { sql, transact, words, catalogue, joined: "", isDamage },
    { blobs: NO_FILES },
  );
  const commits = groupCommit(sqliteGroups(db, sealing, silent));
  return { ...kept, ...claims(db), ...commits } as unknown as Journal;
}

test("[D6, J1] a full disk is told, loses nothing acknowledged, and passes", async () => {
  await using store = sqliteStore();
  using db = openDatabase(store);
  const journal = partsOn(db);
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  const pages = Object.values(db.get("PRAGMA page_count") ?? {})[0] as number;
  db.get(`PRAGMA max_page_count = ${pages + 6}`);

  const acknowledged: number[] = [];
  const fill = async () => {
    for (;;) acknowledged.push(await s.write(journal, claim, token("m1", "x".repeat(3_000))));
  };
  await assert.rejects(fill(), StorageFullError);
  await assert.rejects(s.start(journal, { message: "y".repeat(30_000) }), StorageFullError);
  const stored = (await s.runEvents(journal, runId)).map(({ seq }) => seq);
  assert.deepEqual(stored, [1, 2, ...acknowledged]);
  assert.deepEqual(await journal.upkeep.verify(), []);

  db.get("PRAGMA max_page_count = 1000000");
  await s.write(journal, claim, token("m1", "room again"));
  await s.checkSession(journal, "s1");
  assert.deepEqual(store.fatal, []);
});

test("[J1] work that throws inside a transaction leaves nothing, and the next one runs", async () => {
  await using store = sqliteStore();
  using db = openDatabase(store);
  const insert = () => db.run("INSERT INTO meta (key, value) VALUES ('a', 'b')");
  const failing = db.write(async () => {
    insert();
    await Promise.resolve();
    throw new Error("no");
  });
  const next = db.write(() => db.get("SELECT 1 FROM meta WHERE key = 'a'"));
  await assert.rejects(failing, /^Error: no$/);
  assert.equal(await next, undefined);
  assert.throws(() => db.writeNow(() => (insert(), assert.fail("now"))), /now/);
  assert.equal(db.get("SELECT 1 FROM meta WHERE key = 'a'"), undefined);
  assert.equal(db.writing, false);
});
