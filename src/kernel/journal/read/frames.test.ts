// Replays: the same bytes as event by event, and the same refusal of anything that was changed.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore, type SqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { frameOf } from "../../events/frame.ts";
import * as s from "../contract/store.contract.ts";

const TEXT = 'Zażółć gęślą jaźń 🙂 "quotes" \u0000\n';

async function recorded(store: SqliteStore) {
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.turnStarted(1));
  for (let index = 0; index < 20; index++) {
    await s.write(journal, claim, d.token(`m${index}`, `${TEXT}${index}`));
  }
  await s.write(journal, claim, d.done(25));
  return { journal, runId, head: 25 };
}

test("[E11, H2] frames are the events, for any cursor and any page", async () => {
  await using store = sqliteStore();
  const { journal, runId, head } = await recorded(store);
  await fc.assert(
    fc.asyncProperty(fc.nat(head), fc.integer({ min: 1, max: 40 }), async (after, limit) => {
      const page = await journal.readRun(runId, after, limit);
      const frames = await journal.readFrames(runId, after, limit);
      assert.ok(page && frames);
      const expected = page.rows.map(([seq, , body]) => frameOf(runId, seq, body)).join("");
      assert.equal(frames.bytes.toString(), expected);
      assert.equal(frames.count, page.rows.length);
      assert.equal(frames.to, after + frames.count);
      assert.equal(frames.head, head);
      assert.equal(frames.ended, frames.count > 0 && frames.to === head);
    }),
  );
  assert.equal(await journal.readFrames("nobody", 0, 10), undefined);
});

const flip = fc.record({
  seq: fc.integer({ min: 1, max: 25 }),
  at: fc.nat(),
  bit: fc.nat(7),
  after: fc.nat(24),
});

test("[E11, V3] a page of large events is cut to what fits, and nothing is left out", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  for (let index = 0; index < 8; index++) {
    await s.write(journal, claim, d.token(`m${index}`, "x".repeat(200_000)));
  }
  const sizes: number[] = [];
  let text = "";
  for (let after = 0; after < 10;) {
    const page = await journal.readFrames(runId, after, 200);
    assert.ok(page && page.count > 0);
    sizes.push(page.bytes.byteLength);
    text += page.bytes.toString();
    after = page.to;
  }
  const all = await journal.readRun(runId, 0, 200);
  assert.equal(text, all?.rows.map(([seq, , body]) => frameOf(runId, seq, body)).join(""));
  assert.ok(Math.max(...sizes) < 600_000, sizes.join(", "));
});

test("[E11a, J8, D7] no flipped bit gets into a replay, wherever it starts", async () => {
  await using store = sqliteStore();
  const { journal, runId } = await recorded(store);
  using raw = new DatabaseSync(store.path, { timeout: 5_000 });
  raw.exec("PRAGMA synchronous = OFF");
  const where = `log_key = (SELECT log_key FROM logs WHERE log_id = '${runId}') AND seq = ?`;
  const get = raw.prepare(`SELECT CAST(body AS BLOB) AS bytes FROM events WHERE ${where}`);
  const put = raw.prepare(`UPDATE events SET body = CAST(? AS TEXT) WHERE ${where}`);
  await fc.assert(
    fc.asyncProperty(flip, async ({ seq, at, bit, after }) => {
      const bytes = Buffer.from(get.get(seq)?.["bytes"] as Uint8Array);
      const harmed = Buffer.from(bytes);
      harmed[at % harmed.length] = (harmed[at % harmed.length] ?? 0) ^ (1 << bit);
      put.run(harmed, seq);
      const read = journal.readFrames(runId, after, 100);
      if (seq > after) await assert.rejects(read, { code: "run_quarantined" });
      else await read;
      put.run(bytes, seq);
      raw.exec("UPDATE logs SET quarantined = NULL");
    }),
    { numRuns: tries(300) },
  );
});

const DAMAGES = {
  "a lost event": (where: string) => `DELETE FROM events WHERE ${where} AND seq = 10`,
  "a lost end": (where: string) => `DELETE FROM events WHERE ${where} AND seq = 25`,
  "a lost checksum": (where: string) =>
    `UPDATE events SET checksum = 1 WHERE ${where} AND seq = 12`,
  "two events in each other's place": (where: string) =>
    `UPDATE events SET body = (SELECT body FROM events o WHERE o.log_key = events.log_key
       AND o.seq = 23 - events.seq) WHERE ${where} AND seq IN (11, 12)`,
};

for (const [name, sql] of Object.entries(DAMAGES)) {
  test(`[E11a, J8, D7] ${name} stops a replay, in pages too`, async () => {
    await using store = sqliteStore();
    const { journal, runId } = await recorded(store);
    using raw = new DatabaseSync(store.path, { timeout: 5_000 });
    raw.exec(sql(`log_key = (SELECT log_key FROM logs WHERE log_id = '${runId}')`));
    const replay = async () => {
      for (let after = 0; after < 25; after += 4) await journal.readFrames(runId, after, 4);
    };
    await assert.rejects(replay, { code: "run_quarantined" });
  });
}
