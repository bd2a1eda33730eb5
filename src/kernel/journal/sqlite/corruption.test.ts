// Damaged bytes are never served: not after a flipped bit, a lost row, a truncated file or two rows that changed places.
// The test does the damage through its own connection (or file).
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore, type SqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { ApiError } from "../../events/errors.ts";
import { toSnapshot } from "../../state/run/state.ts";
import * as s from "../contract/store.contract.ts";
import type { Journal } from "../journal.ts";
import { loadRun } from "../read/load-run.ts";

const QUARANTINED = { code: "run_quarantined" };

/** Two sessions: s1 with an ended run and an active one, s2 with an active one. */
async function recorded(store: SqliteStore) {
  const { journal, runId: ended, claim } = await s.withRun(store);
  const text = 'Zażółć gęślą jaźń 🙂 "quotes" \u0000';
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.token("m1", text));
  await s.write(journal, claim, d.said("m1", text), d.done(7));
  const going = await s.start(journal, { message: "second" });
  await s.write(journal, await s.claimed(journal), d.started(), d.token("m1", "going"));
  const other = await s.start(journal, { session_id: "s2" });
  await s.write(journal, await s.claimed(journal), d.started());
  return { journal, ended, going, other };
}

function damage(store: SqliteStore, sql: string, ...params: (string | number)[]): void {
  using db = new DatabaseSync(store.path);
  assert.equal(db.prepare(sql).run(...params).changes, 1, sql);
}

const EVENT = "log_key = (SELECT log_key FROM logs WHERE log_id = ?) AND seq = ?";
const DAMAGES: Record<string, (store: SqliteStore, runId: string) => void> = {
  "a changed word": (store, runId) =>
    damage(
      store,
      `UPDATE events SET body = replace(body, 'jaźń', 'jazn') WHERE ${EVENT}`,
      runId,
      5,
    ),
  "a cut body": (store, runId) =>
    damage(store, `UPDATE events SET body = substr(body, 1, 200) WHERE ${EVENT}`, runId, 3),
  "an empty body": (store, runId) =>
    damage(store, `UPDATE events SET body = '' WHERE ${EVENT}`, runId, 7),
  "a lost first event": (store, runId) =>
    damage(store, `DELETE FROM events WHERE ${EVENT}`, runId, 1),
  "a lost event": (store, runId) => damage(store, `DELETE FROM events WHERE ${EVENT}`, runId, 4),
  "a lost end": (store, runId) => damage(store, `DELETE FROM events WHERE ${EVENT}`, runId, 7),
  "another event in its place": (store, runId) =>
    damage(
      store,
      `UPDATE events SET body = (SELECT body FROM events WHERE ${EVENT}) WHERE ${EVENT}`,
      runId,
      3,
      runId,
      4,
    ),
};

for (const [what, harm] of Object.entries(DAMAGES)) {
  test(`[J8b] ${what}: that run is quarantined, everything else is served`, async () => {
    await using store = sqliteStore();
    const { ended, going, other } = await recorded(store);
    await store.closeAll();
    harm(store, ended);

    const journal = await store.connect();
    await assert.rejects(s.runEvents(journal, ended), QUARANTINED);
    const record = await journal.reads.run(ended);
    assert.ok(record?.quarantined, "with a diagnostic");
    await assert.rejects(journal.readRun(ended, 0, 1), (error: Error) => {
      assert.ok(error.message.includes(record.quarantined ?? "?"));
      return true;
    });
    assert.equal((await s.runEvents(journal, going)).length, 4);
    assert.equal((await s.runEvents(journal, "s1")).length, 1);
    await s.checkSession(journal, "s2");
    assert.deepEqual(
      (await journal.upkeep.verify()).map(({ logId }) => logId),
      [ended],
    );
    assert.deepEqual((await journal.reads.run(other))?.quarantined, null);
  });

  test(`[J8, D7] ${what}: a session's stream stops with the name of the damaged run`, async () => {
    await using store = sqliteStore();
    const { ended, going } = await recorded(store);
    await store.closeAll();
    harm(store, ended);

    const journal = await store.connect();
    await assert.rejects(s.sessionEvents(journal), (error) => {
      assert.ok(error instanceof ApiError);
      assert.partialDeepStrictEqual(error.details, { log: ended });
      return error.code === QUARANTINED.code;
    });
    assert.equal((await s.runEvents(journal, "s1")).length, 1, "the session's own log is fine");
    assert.equal((await s.runEvents(journal, going)).length, 4);
  });
}

test("[J8, E6] a forged event with a hash that fits it breaks the chain", async () => {
  await using store = sqliteStore();
  const { ended } = await recorded(store);
  await store.closeAll();
  {
    using db = new DatabaseSync(store.path);
    const body = db.prepare(`SELECT body FROM events WHERE ${EVENT}`).get(ended, 5)?.["body"];
    const core = String(body).replace("jaźń", "jazn").split(',"hash":')[0] ?? "";
    const hash = createHash("sha256").update(core).digest("hex");
    const sql = `UPDATE events SET body = ? WHERE ${EVENT}`;
    db.prepare(sql).run(`${core},"hash":"${hash}"}`, ended, 5);
  }
  const journal = await store.connect();
  await assert.rejects(s.runEvents(journal, ended), QUARANTINED);
  assert.equal((await journal.upkeep.verify())[0]?.logId, ended);
});

test("[J8, D7] an event that is not where it belongs is not served, even when it is read alone", async () => {
  await using store = sqliteStore();
  const { ended } = await recorded(store);
  await store.closeAll();
  DAMAGES["another event in its place"]?.(store, ended);
  const journal = await store.connect();
  await assert.rejects(journal.readSession("s1", 4, 1), QUARANTINED);
  await store.closeAll();
  damage(store, "UPDATE logs SET quarantined = NULL WHERE log_id = ?", ended);
  await assert.rejects((await store.connect()).readRun(ended, 3, 1), QUARANTINED);
});

test("[J8a, J8b] nothing is repaired or deleted, and a quarantined run holds nobody up", async () => {
  await using store = sqliteStore();
  const { journal: first, going } = await recorded(store);
  const next = await s.start(first, { message: "third" });
  await store.closeAll();
  damage(store, `UPDATE events SET body = substr(body, 1, 300) WHERE ${EVENT}`, going, 3);
  const stored = () => {
    using db = new DatabaseSync(store.path, { readOnly: true });
    return db.prepare("SELECT * FROM events ORDER BY event_key").all();
  };
  const before = stored();

  const journal = await store.connect();
  assert.deepEqual(
    (await journal.upkeep.verify()).map(({ logId }) => logId),
    [going],
  );
  await journal.upkeep.rebuild();
  const claim = await s.claimed(journal, { runnerId: "runner_b" });
  assert.equal(claim.runId, next, "the damaged run is not claimed, the one behind it is");
  assert.equal((await journal.reads.session("s1"))?.active_run_id, next);
  await store.closeAll();
  assert.deepEqual(stored(), before);
});

test("[J8, D7] a damaged snapshot is forgotten, not served", async () => {
  await using store = sqliteStore();
  const { journal, ended } = await recorded(store);
  const state = await loadRun(journal, ended);
  assert.ok(state);
  await journal.saveSnapshot(toSnapshot(state));
  await store.closeAll();
  damage(store, "UPDATE snapshots SET body = replace(body, 'Zażółć', 'Zazolc')");

  const again = await store.connect();
  assert.equal(await again.reads.snapshot(ended), undefined);
  assert.deepEqual(await loadRun(again, ended), state);
});

const BODY = "SELECT CAST(body AS BLOB) AS bytes FROM events WHERE event_key = ?";
const PUT = "UPDATE events SET body = CAST(? AS TEXT) WHERE event_key = ?";
const flip = fc.record({ event: fc.nat(), at: fc.nat(), bit: fc.nat(7) });

const FLIPS = tries(400);

test("[J8, D7, E6] of flipped bits every one that changes what is served is caught", async () => {
  await using store = sqliteStore();
  const { journal } = await recorded(store);
  using raw = new DatabaseSync(store.path, { timeout: 5_000 });
  raw.exec("PRAGMA synchronous = OFF");
  const sql = "SELECT event_key, log_id, e.seq, body FROM events e JOIN logs USING (log_key)";
  const rows = raw.prepare(sql).all() as {
    event_key: number;
    log_id: string;
    seq: number;
    body: string;
  }[];
  let changed = 0;

  await fc.assert(
    fc.asyncProperty(flip, async ({ event, at, bit }) => {
      const row = rows[event % rows.length];
      assert.ok(row);
      const bytes = Buffer.from(raw.prepare(BODY).get(row.event_key)?.["bytes"] as Uint8Array);
      const harmed = Buffer.from(bytes);
      harmed[at % harmed.length] = (harmed[at % harmed.length] ?? 0) ^ (1 << bit);
      raw.prepare(PUT).run(harmed, row.event_key);
      const served = await journal.readRun(row.log_id, row.seq - 1, 1).catch(() => undefined);
      assert.ok(
        served === undefined || served.rows[0]?.[2] === row.body,
        "changed bytes were served",
      );
      if (served === undefined) changed += 1;
      raw.exec("UPDATE logs SET quarantined = NULL");
      const problems = (await journal.upkeep.verify()).map(({ logId }) => logId);
      assert.deepEqual(problems, served === undefined ? [row.log_id] : []);
      raw.prepare(PUT).run(bytes, row.event_key);
      raw.exec("UPDATE logs SET quarantined = NULL");
    }),
    { numRuns: FLIPS },
  );
  assert.ok(changed > FLIPS * 0.95, `only ${changed} flips changed anything`);
  assert.deepEqual(await journal.upkeep.verify(), []);
});

/** Every event of the journal is served unchanged, or not at all. */
async function servedOrRefused(store: SqliteStore, bodies: ReadonlyMap<string, string[]>) {
  let refused = 0;
  let journal: Journal;
  try {
    journal = await store.connect();
  } catch {
    return bodies.size; // SQLite itself detected it
  }
  for (const [logId, expected] of bodies) {
    const page = await journal.readRun(logId, 0, 100).catch(() => undefined);
    if (page)
      assert.deepEqual(
        page.rows.map(([, , body]) => body),
        expected.slice(0, page.rows.length),
      );
    if (page?.rows.length !== expected.length) refused += 1;
  }
  await store.closeAll().catch(() => undefined);
  return refused;
}

test("[J8, D7] a file with flipped bits or a missing end serves no changed event", async () => {
  await using store = sqliteStore();
  const { journal, ...runs } = await recorded(store);
  const bodies = new Map<string, string[]>();
  for (const logId of ["s1", "s2", ...Object.values(runs)]) {
    bodies.set(logId, (await journal.readRun(logId, 0, 100))?.rows.map(([, , body]) => body) ?? []);
  }
  await store.closeAll();
  const intact = `${store.path}.intact`;
  copyFileSync(store.path, intact);
  const bytes = readFileSync(intact);
  assert.equal(await servedOrRefused(store, bodies), 0);

  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
      const harmed = Buffer.from(bytes);
      harmed[at] = (harmed[at] ?? 0) ^ (1 << bit);
      writeFileSync(store.path, harmed);
      await servedOrRefused(store, bodies);
    }),
    { numRuns: tries(120) },
  );
  let refused = 0;
  for (let size = 0; size < bytes.length; size += 8_192) {
    copyFileSync(intact, store.path);
    truncateSync(store.path, size + 100);
    refused += await servedOrRefused(store, bodies);
  }
  assert.ok(refused > 0);
});
