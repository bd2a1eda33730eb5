import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cleanTitle } from "./title.ts";

test("[C9] a title is one short line of plain words, whatever the model says", () => {
  assert.equal(
    cleanTitle('"Fix the failing test."\n\nI chose this because…'),
    "Fix the failing test",
  );
  assert.equal(cleanTitle("## **Heading**"), "Heading");
  assert.equal(cleanTitle("\n\n"), "");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const title = cleanTitle(text);
      assert.ok(title.length <= 80 && !title.includes("\n") && title.isWellFormed());
    }),
  );
});
