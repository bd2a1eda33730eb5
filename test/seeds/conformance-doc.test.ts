// docs/conformance.md is what the tables say. If this fails: `node scripts/conformance-doc.ts`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { conformanceDoc, TARGET } from "../../scripts/conformance-doc.ts";

test("docs/conformance.md lists every row of the seed tables as it is", () => {
  assert.deepEqual(readFileSync(TARGET, "utf8").split("\n"), conformanceDoc().split("\n"));
});
