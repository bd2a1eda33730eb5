// A journal from before its index: indexed when it opens if it is small, and step by step if it is large.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { withoutCopies } from "../../../test/support/journal/older-release.ts";
import { sqliteStore, type SqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import { startIndexing } from "../server/feed/older-index.ts";
import * as s from "../journal/contract/store.contract.ts";

/** As the migration leaves it. */
async function forgetIndex(store: SqliteStore): Promise<void> {
  await store.closeAll();
  using db = new DatabaseSync(store.path);
  db.exec("INSERT INTO search_words (search_words) VALUES ('delete-all'); DELETE FROM search_rows");
  db.exec("UPDATE meta SET value = (SELECT max(log_key) + 1 FROM logs) WHERE key = 'search_from'");
}

test("[Q5c] a small journal is indexed as it opens", async () => {
  await using store = sqliteStore();
  await s.exchange(await store.connect(), "the old anchor", d.changed("c1", "anchor.txt"));
  await forgetIndex(store);
  const { hits, indexing } = await (await store.connect()).reads.search({ q: "anchor", limit: 10 });
  assert.deepEqual([hits.length, indexing], [3, false]);
});

test("[Q5a] a large one in steps, newest first, while it is written to, and across restarts", async () => {
  await using store = sqliteStore();
  let journal = await store.connect();
  await s.start(journal, { session_id: "w", message: "first" });
  await s.claimed(journal);
  const waiting = await s.start(journal, { session_id: "w", message: "anchor", message_id: "k" });
  for (let run = 0; run < 9; run += 1) {
    await s.start(journal, { session_id: `s${run}`, message: `anchor ${run}` });
    const claim = await s.claimed(journal);
    const texts = Array.from({ length: 1_800 }, (_, index) => d.said(`m${index}`, `chain ${run}`));
    await s.write(journal, claim, d.started(), ...texts);
    await s.end(journal, claim);
  }
  await forgetIndex(store);
  journal = await store.connect();
  const found = async (q: string) => {
    const { hits, indexing } = await journal.reads.search({ q, limit: 100, bySession: true });
    return { sessions: hits.map(({ session_id }) => session_id).toSorted(), indexing };
  };
  assert.deepEqual(await found("anchor"), { sessions: [], indexing: true });
  const left = await journal.upkeep.indexOlder();
  assert.ok(left > 0 && left < 12, String(left));
  assert.deepEqual(await found("anchor"), { sessions: ["s8"], indexing: true });
  const edited = await journal.commands.editMessage(
    { runId: waiting, messageId: "k" },
    { text: "capstan" },
  );
  assert.equal(edited?.status, "accepted");
  await s.start(journal, { session_id: "new", message: "anchor anew" });
  await store.closeAll();
  journal = await store.connect();
  const lines: string[] = [];
  const indexer = startIndexing({
    journal,
    log: (line) => void lines.push(line),
    logError: (error) => assert.fail(String(error)),
  });
  await until(async () => !(await found("anchor")).indexing, "the index");
  await until(() => lines.length > 1, "the last line");
  indexer.stop();
  assert.deepEqual((await found("anchor")).sessions, [
    "new",
    ...Array.from({ length: 9 }, (_, run) => `s${run}`),
  ]);
  assert.deepEqual((await found("capstan")).sessions, ["w"]);
  assert.match(lines[0] ?? "", /indexing older sessions in the background, \d+ runs left/);
  assert.match(lines.at(-1) ?? "", /every session is indexed/);
  const { hits } = await journal.reads.search({ q: "chain", limit: 100 });
  assert.equal(hits[0]?.session_id, "s8", "the newest are looked at first");
});

/** The index of 008-search.ts, made of texts and not of words. */
const INDEX_OF_TEXTS = `DROP TABLE search_words;
  CREATE VIRTUAL TABLE search_words USING fts5 (
    text, about, content = 'search_rows', content_rowid = 'row_key',
    tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3', columnsize = 0);
  INSERT INTO search_words (search_words) VALUES ('rebuild');
  PRAGMA user_version = 12`;

test("[Q5, D9] an index of an earlier release, which could not find every script, is made anew", async () => {
  await using store = sqliteStore();
  await s.exchange(await store.connect(), "한국어 anchor");
  await store.closeAll();
  {
    using db = new DatabaseSync(store.path);
    withoutCopies(db);
    db.exec(INDEX_OF_TEXTS);
  }
  const journal = await store.connect();
  await s.start(journal, { session_id: "s2", message: "한국어 chain" });
  for (const q of ["한국어", "한국어 "]) {
    assert.equal((await journal.reads.search({ q, limit: 10 })).hits.length, 3);
  }
  assert.equal((await journal.reads.search({ q: "anchor", limit: 10 })).hits.length, 2);
});
