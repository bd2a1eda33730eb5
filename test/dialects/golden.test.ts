// Every recording through every dialect and reducer gives exactly what is committed beside it. If this
// fails, what clients are sent has changed. Meant? `node scripts/record-journals.ts --golden`, and look at
// the difference before you commit it.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EVENTS, SESSIONS } from "../support/recordings/session-recordings.ts";
import { goldenFiles } from "../support/recordings/emitted.ts";

const expected = [...goldenFiles()];

for (const [file, text] of expected) {
  test(`[W1] ${file} is as it was committed`, () => {
    assert.deepEqual(text.split("\n"), readFileSync(join(SESSIONS, file), "utf8").split("\n"));
  });
}

test("[W1] nothing is committed that no dialect tells any more", () => {
  const committed = globSync("*", { cwd: SESSIONS }).filter((file) => !file.endsWith(EVENTS));
  assert.deepEqual(committed.toSorted(), expected.map(([file]) => file).toSorted());
});
