// A journal of an earlier release opens, has the lists that this release keeps, and continues.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { asRelease, RELEASES } from "../../../../test/support/journal/older-release.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../contract/store.contract.ts";
import { INSIGHTS } from "../tables/insights.ts";
import { MIGRATIONS } from "../tables/migrations.ts";
import { journalPath, openSqlite } from "./sqlite.ts";
import { insightStore } from "../../../features/insights/store/store.ts";
import { FEATURES } from "../../../features/journal-features.ts";

/** What `serve` does in the background. */
async function countAll(store: ReturnType<typeof insightStore>): Promise<void> {
  while ((await store.countOlderRuns()) > 0);
}

for (const release of RELEASES) {
  test(`[D9, J7] a journal of release ${release.version} opens, is brought up to date, and goes on`, async () => {
    await using store = sqliteStore();
    const { journal, runId, claim } = await s.withRun(store);
    if (release.version > 1) {
      await journal.commands.createProject({ project_id: "proj_1", name: "Old" });
    }
    await s.write(journal, claim, d.started(), d.used(1, 7), d.changed("c1", "a.txt"));
    await s.write(journal, claim, d.said("m1", "aye aye"), d.approvalAsked("c1"));
    await s.write(journal, claim, d.toolStarted("c1"));
    const waiting = await s.start(journal, { message: "later", message_id: "k1" });
    const before = await s.lists(journal);
    const projects = await journal.reads.projects();
    await store.closeAll();

    const home = mkdtempSync(join(tmpdir(), "qd-old-"));
    try {
      asRelease(release, store.path, journalPath(home));
      await using old = await openSqlite({ features: FEATURES, home });
      await countAll(insightStore(old));
      assert.deepEqual(await s.lists(old), before);
      assert.deepEqual(await old.reads.projects(), projects);
      assert.equal((await old.reads.spent(runId)).tokens, 7);
      const { hits } = await old.reads.search({ q: "aye", profile: "default", limit: 5 });
      assert.equal(hits[0]?.run_id, runId);
      const query = { q: "HELL", source: "api", model: "demo/demo", hasTools: true };
      const found = await old.reads.sessionSummaries({ ...query, limit: 5, offset: 0 });
      assert.deepEqual(
        found.sessions.map((each) => [each.session_id, each.total_tokens, each.messages]),
        [["s1", 7, 3]],
      );
      const ids = { runId: waiting, messageId: "k1" };
      assert.equal((await old.commands.editMessage(ids, { text: "sooner" }))?.status, "accepted");
      assert.equal((await s.start(old, { message: "next" })).length > 0, true);
      const said = { session_id: "s1", message_id: "k", text: "yes", source: "terminal" };
      assert.equal((await old.commands.takeChannelMessage(said, s.DEFAULTS)).message.run_id, runId);
      assert.equal((await old.commands.updateSession("s1", { deleted: true }))?.status, "accepted");
      assert.deepEqual(await old.reads.sessions({ limit: 5, offset: 0 }), []);
      assert.deepEqual(await old.upkeep.verify(), []);
      await s.checkSession(old, "s1");
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
}

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

/** What the release before insights stored, and did not rebuild when it opened. */
const KEPT = "meta sessions logs events requests commands usage messages changes".split(" ");

test("[D9, I3] a journal from before insights opens without counting; what was done is counted later, once", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  for (let at = 0; at < 60; at += 1) await s.exchange(journal, `run ${at}`, d.used(1, 7));
  const counted = await insightStore(journal).insightTotals({ from: 0, to: 9e9 });
  await store.closeAll();

  const home = mkdtempSync(join(tmpdir(), "qd-old-"));
  try {
    {
      using db = new DatabaseSync(journalPath(home));
      const version = INSIGHTS.since - 1;
      for (const sql of MIGRATIONS.slice(0, version)) db.exec(sql);
      db.exec(`PRAGMA user_version = ${version}`);
      db.prepare("ATTACH ? AS now").run(store.path);
      for (const table of KEPT) {
        const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
        const names = columns.map(({ name }) => name as string).join(", ");
        db.exec(`INSERT OR REPLACE INTO ${table} (${names}) SELECT ${names} FROM now.${table}`);
      }
    }
    {
      await using old = await openSqlite({ features: FEATURES, home });
      assert.equal(await insightStore(old).uncountedRuns(), 60);
      assert.equal((await insightStore(old).insightTotals({ from: 0, to: 9e9 })).runs, 0);
      assert.equal(await insightStore(old).countOlderRuns(), 10, "in steps");
    }
    await using again = await openSqlite({ features: FEATURES, home });
    assert.equal(await insightStore(again).countOlderRuns(), 0);
    assert.deepEqual(await insightStore(again).insightTotals({ from: 0, to: 9e9 }), counted);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
