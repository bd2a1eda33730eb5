// docs/windows.md is what the dialects' tables say. If this fails: `node scripts/windows-doc.ts`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TARGET, windowsDoc } from "../../scripts/windows-doc.ts";

test("[W2] docs/windows.md has every event, every dialect and every route as they are", () => {
  assert.deepEqual(readFileSync(TARGET, "utf8").split("\n"), windowsDoc().split("\n"));
});
