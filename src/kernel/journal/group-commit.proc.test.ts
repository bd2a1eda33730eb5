import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import fc from "fast-check";
import { said, started, thought, token } from "../../../test/support/drafts.ts";
import { stopPeers } from "../../../test/support/peer.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import type { Draft } from "../events/events.ts";
import * as s from "./contract/store.contract.ts";
import { mergeDeltas } from "./group-commit.ts";

after(stopPeers);

/** Counts the commits in a write-ahead log, by its own format: the oracle knows no code of ours. */
function commitsIn(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  const frame = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frame <= wal.length; at += frame) {
    const current = wal.readUInt32BE(at + 8) === wal.readUInt32BE(16); // salt: not an older round
    if (current && wal.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}

test("[E10, J3] what arrives in one turn of the event loop is one commit", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const claims = [];
  for (let index = 0; index < 5; index++) {
    await s.start(journal, { session_id: `s${index}` });
    claims.push(await s.claimed(journal));
  }
  const before = commitsIn(store.path);
  const appends = claims.flatMap((claim) => [
    journal.append(claim, [started()]),
    journal.append(claim, [token("m1", "a")]),
    journal.append(claim, [token("m1", "b")]),
  ]);
  assert.ok((await Promise.all(appends)).every(({ ok }) => ok));
  assert.equal(commitsIn(store.path), before + 1);

  for (let turn = 0; turn < 3; turn++) {
    for (const claim of claims.slice(0, 1)) await s.write(journal, claim, token("m1", "c"));
  }
  assert.equal(commitsIn(store.path), before + 4, "and every turn has one of its own");
  for (const { sessionId } of claims) await s.checkSession(journal, sessionId);
});

test("[E10] a turn of the event loop is longer than one callback", async () => {
  await using store = sqliteStore();
  const { journal, claim, runId } = await s.withRun(store);
  const before = commitsIn(store.path);
  const appends = [];
  for (const text of ["a", "b", "c"]) {
    appends.push(journal.append(claim, [token("m1", text)]));
    for (let ticks = 0; ticks < 20; ticks++) await Promise.resolve();
  }
  await Promise.all(appends);
  assert.equal(commitsIn(store.path), before + 1);
  assert.deepEqual((await s.runEvents(journal, runId)).at(-1)?.payload, token("m1", "abc").payload);
});

test("[J2, E10] a fenced append in a group does not hurt the others, nor their deltas", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim: stale } = await s.withRun(store);
  const claim = await s.claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
  const before = commitsIn(store.path);
  const results = await Promise.all([
    journal.append(claim, [token("m1", "a")]),
    journal.append(stale, [token("m1", "STALE")]),
    journal.append(claim, [token("m1", "b")]),
    journal.append(stale, [said("m1", "STALE")]),
  ]);
  assert.deepEqual(
    results.map(({ ok }) => ok),
    [true, false, true, false],
  );
  assert.equal(commitsIn(store.path), before + 1);
  const text = JSON.stringify(await s.runEvents(journal, runId));
  assert.doesNotMatch(text, /STALE/);
});

test("[J3] when an append is answered, another process can read it", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  const other = await store.connect();
  for (let index = 0; index < 20; index++) {
    const seq = await s.write(journal, claim, token("m1", `${index}`));
    assert.equal((await other.readRun(runId, seq - 1, 1))?.rows.length, 1);
  }
});

const delta = fc.oneof(
  fc.tuple(fc.constantFrom("m1", "m2"), fc.string()).map(([id, text]) => token(id, text)),
  fc.tuple(fc.constantFrom("q1", "q2"), fc.string()).map(([id, text]) => thought(id, text)),
  fc.constant(started()),
);
type Delta = { delta: string; message_id?: string; reasoning_id?: string };
const blockOf = ({ payload }: Draft) =>
  (payload as Delta).message_id ?? (payload as Delta).reasoning_id ?? "";

test("[E10a] joining deltas changes no text and no order", () => {
  fc.assert(
    fc.property(fc.array(delta, { maxLength: 30 }), (drafts) => {
      const merged = mergeDeltas(drafts);
      const spelled = (all: readonly Draft[]) =>
        all.flatMap((draft): unknown[] => {
          const text = (draft.payload as Delta).delta;
          return text === undefined
            ? [draft]
            : text.split("").map((char) => [blockOf(draft), char]);
        });
      assert.deepEqual(spelled(merged), spelled(drafts));
      for (const [index, draft] of merged.entries()) {
        const next = merged[index + 1];
        const joined = next && draft.type === next.type && blockOf(draft) === blockOf(next);
        assert.ok(!joined || draft.type === "run.started", "neighbours of one block are one");
      }
    }),
  );
});
