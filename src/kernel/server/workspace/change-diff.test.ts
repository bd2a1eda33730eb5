// T2, B3: a diff goes from before the first change to after the last one, and is bounded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import type { BlobStore } from "../../blobs/blobs.ts";
import type { ChangeRecord } from "../../api/records/records.ts";
import { diffOf } from "./change-diff.ts";

async function kept(blobs: BlobStore, text: string | null) {
  if (text === null) return null;
  const writer = blobs.create();
  await writer.write(Buffer.from(text));
  return { ...(await writer.finish()), mode: 0o644 };
}

type Step = { path?: string; before: string | null; after: string | null };

async function changes(blobs: BlobStore, steps: readonly Step[]): Promise<ChangeRecord[]> {
  const made: ChangeRecord[] = [];
  for (const [index, { path = "a.txt", before, after }] of steps.entries()) {
    made.push({
      path,
      before: await kept(blobs, before),
      after: await kept(blobs, after),
      run_id: "r1",
      call_id: "c1",
      checkpoint_id: "cp",
      seq: index + 1,
      session_seq: index + 1,
      workspace: "/w",
    });
  }
  return made;
}

test("[T2] several changes of a file are one diff; what is as it was has none", async () => {
  await using store = sqliteStore();
  const { blobs } = await store.connect();
  const view = await diffOf(
    blobs,
    await changes(blobs, [
      { before: "one\n", after: "two\n" },
      { path: "new.txt", before: null, after: "fresh\n" },
      { path: "back.txt", before: "x\n", after: "y\n" },
      { before: "two\n", after: "three\n" },
      { path: "back.txt", before: "y\n", after: "x\n" },
      { path: "gone.txt", before: "old\n", after: null },
    ]),
  );
  assert.equal(view.truncated, false);
  assert.deepEqual(
    view.files.map(({ path, added, removed }) => [path, added, removed]),
    [
      ["a.txt", 1, 1],
      ["new.txt", 1, 0],
      ["gone.txt", 0, 1],
    ],
  );
  assert.match(view.files[0]?.text ?? "", /^-one\n\+three$/m);
});

test("[B3] many files, much text and lost content are said, not sent", async () => {
  await using store = sqliteStore();
  const { blobs } = await store.connect();
  const many = Array.from({ length: 203 }, (_, index) => ({
    path: `f${index}`,
    before: null,
    after: `${index}\n`,
  }));
  const counted = await diffOf(blobs, await changes(blobs, many));
  assert.deepEqual([counted.files.length, counted.truncated], [200, true]);

  const long = "0123456789abcde\n".repeat(15_000); // 240 kB
  const large = Array.from({ length: 8 }, (_, index) => ({
    path: `f${index}`,
    before: null,
    after: `${index}${long}`,
  }));
  const bounded = await diffOf(blobs, await changes(blobs, large));
  const chars = bounded.files.reduce((sum, { text }) => sum + text.length, 0);
  assert.ok(chars > 500_000 && chars <= 1_048_576, `${chars}`);
  assert.equal(bounded.truncated, true);

  const [lost] = await changes(blobs, [{ before: "a", after: "b" }]);
  assert.ok(lost?.after);
  const gone = { ...lost, after: { ...lost.after, sha256: "0".repeat(64) } };
  const view = await diffOf(blobs, [gone]);
  assert.deepEqual([view.files[0]?.text, view.files[0]?.truncated], ["", true]);
});
