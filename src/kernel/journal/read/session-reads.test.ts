// Lists must not become slow with the number of sessions. Not timed: SQLite is asked how it would look.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../contract/store.contract.ts";
import { Database } from "../sqlite/database.ts";
import type { Reads } from "../journal.ts";
import { reads } from "./reads.ts";
import { catalogueOf } from "../project/catalogue.ts";
import { workspaces } from "../admit/workspaces.ts";
import { sqliteReads } from "../sqlite/transaction.ts";
import { sqliteSearchIndex } from "../sqlite/full-text.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Sql, Value } from "../sql.ts";

/** How SQLite answers everything that `ask` asks for. */
async function plansOf(
  db: Database,
  ask: (journal: Omit<Reads, keyof Snapshots>) => Promise<unknown>,
) {
  const asked = new Set<string>();
  const { get, all, rows } = sqliteReads(db);
  const heard =
    <Result>(call: (sql: string, ...params: Value[]) => Promise<Result>) =>
    (sql: string, ...params: Value[]) => {
      asked.add(sql);
      return call(sql, ...params);
    };
  const sql: Sql = { get: heard(get), all: heard(all), rows: heard(rows) };
  const transact = () => assert.fail("nothing is written");
  const reading = { sql, transact, words: sqliteSearchIndex, joined: "", isDamage: () => false };
  await ask(reads({ ...reading, workspaces: workspaces(), catalogue: catalogueOf([]) }));
  const plans = [...asked].flatMap((each) => {
    const params = Array.from({ length: each.match(/\?/g)?.length ?? 0 }, () => "1");
    const numbered = new Set(each.match(/\?\d/g)).size || params.length;
    return db.all(`EXPLAIN QUERY PLAN ${each}`, ...params.slice(0, numbered));
  });
  return plans.map(({ detail }) => detail as string);
}

const isScan = (step: string) =>
  /^SCAN (s|sessions|l|o|a|e|n|q|logs|events|m|messages|r|requests|usage|channel_messages)\b/.test(
    step,
  ) && !/USING (COVERING )?INDEX/.test(step);

test("[J7] no list of sessions looks at every session, run, message or request", async () => {
  await using store = sqliteStore();
  await s.start(await store.connect());
  await store.closeAll();
  using db = new Database({ path: store.path, onFatal: assert.fail });
  const page = { limit: 5, offset: 5 };
  const filters = { q: "hello", source: "api", workspace: "/w", model: "m", hasTools: true };
  const lists: Record<string, (journal: Omit<Reads, keyof Snapshots>) => Promise<unknown>> = {
    session: (journal) => journal.session("s1"),
    sessions: (journal) => journal.sessions(page),
    pinned: (journal) => journal.sessions({ ...page, pinnedOnly: true }),
    summary: (journal) => journal.sessionSummary("s1"),
    summaries: (journal) => journal.sessionSummaries(page),
    all: (journal) => journal.sessionSummaries({ ...page, ...filters }),
    ...Object.fromEntries(
      Object.entries(filters).map(([name, value]) => [
        name,
        (journal: Omit<Reads, keyof Snapshots>) =>
          journal.sessionSummaries({ ...page, [name]: value }),
      ]),
    ),
    inbox: (journal) => journal.inbox(),
    request: (journal) => journal.request("r1"),
    usage: (journal) => journal.usageSince(1),
    unreplied: (journal) => journal.unreplied("s1"),
    known: (journal) => journal.channelMessage("s1", "k"),
  };
  for (const [name, ask] of Object.entries(lists)) {
    const plans = await plansOf(db, ask);
    assert.ok(plans.length > 0, name);
    assert.deepEqual(plans.filter(isScan), [], `${name}: ${plans.join("; ")}`);
  }
  const newest = await plansOf(db, (journal) => journal.sessions(page));
  assert.ok(newest.some((step) => step.includes("USING INDEX sessions_newest")));
  const pinned = await plansOf(db, (journal) => journal.sessions({ ...page, pinnedOnly: true }));
  assert.ok(
    pinned.some((step) => step.includes("INDEX sessions_pinned")),
    pinned.join("; "),
  );
  assert.ok((await plansOf(db, (journal) => journal.sessionHeads())).some(isScan), "it can tell");
});

test("[J7] more titles than are held at once are counted once, with those that only say it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal, { message: "a harbour, only said", session_id: "one" });
  const both = await s.start(journal, {
    message: "the harbour, said and in the title",
    session_id: "two",
  });
  await store.closeAll();
  const db = new Database({ path: store.path, onFatal: assert.fail });
  await db.write(() => {
    const titled = `UPDATE sessions SET title_key = 'the harbour' WHERE session_key =
      (SELECT session_key FROM logs WHERE log_id = ?)`;
    db.run(titled, both);
    const more = `INSERT INTO sessions (session_id, title_key, created_at, updated_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      SELECT 'more' || i, 'harbour ' || i, i, i FROM n`;
    db.run(more);
  });
  db[Symbol.dispose]();
  const again = await store.connect();
  const page = { limit: 2, offset: 0, q: "harbour" };
  const { total, sessions } = await again.reads.sessionSummaries(page);
  assert.equal(total, 2_502);
  assert.deepEqual(
    sessions.map(({ preview }) => preview.split(",")[0]),
    ["the harbour", "a harbour"],
  );
});
