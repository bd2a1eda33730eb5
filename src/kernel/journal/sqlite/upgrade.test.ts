// Runs that earlier builds recorded still verify, still match the schema, and still fold to the same state. A new kind
// of run gets its own recording.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { foldLines, linesOf } from "../../../../test/support/recordings/recordings.ts";
import { RunEvent } from "../../events/events.ts";
import { GENESIS, verify } from "../hash-chain.ts";

const root = join(import.meta.dirname, "../../../../test/journals");
const recordings = globSync("*.jsonl", { cwd: root }).toSorted();
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("[D9] there are recordings of text and tools, of people, and of crashes", () => {
  assert.deepEqual(recordings, [
    "approval.jsonl",
    "crash-and-recovery.jsonl",
    "text-and-tools.jsonl",
  ]);
});

for (const file of recordings) {
  test(`[D9, E6] ${file} verifies from its first event to its end`, () => {
    let previous: string | undefined = GENESIS;
    for (const line of linesOf(read(file))) {
      previous = verify(line, previous);
      assert.ok(previous, line.slice(0, 100));
      RunEvent.parse(JSON.parse(line));
    }
  });

  // If this fails the fold changed: old snapshots are wrong now. If that is intended, raise REDUCER_VERSION, run
  // `node scripts/fold-journals.ts`, and review the difference before you commit it.
  test(`[D9, F1] ${file} folds to the committed state`, () => {
    const expected = JSON.parse(read(`${basename(file, ".jsonl")}.state.json`)) as unknown;
    assert.deepEqual(JSON.parse(JSON.stringify(foldLines(read(file)))), expected);
  });
}
