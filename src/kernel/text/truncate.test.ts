import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { truncate, truncateLine } from "./truncate.ts";

test("a cut text is as long as it may be, ends with a mark and holds no half character", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (given, max) => {
      const cut = truncate(given, max);
      assert.ok(cut.isWellFormed() && cut.length <= max);
      if (given.length <= max) assert.equal(cut, given);
      else assert.ok(cut.endsWith("…") && given.startsWith(cut.slice(0, -1)));
    }),
  );
  assert.equal(truncate("ab😀", 3), "ab…");
  assert.equal(truncate("abcd", 3, 3), "abc…");
});

test("a cut line has no line break, and its mark says also that the rest was not looked at", () => {
  assert.equal(truncateLine(" a\n\t b ", 10), "a b");
  assert.equal(truncateLine("a ".repeat(8), 15), "a a a a a a a a");
  assert.equal(truncateLine(`a${" ".repeat(80)}b`, 10), "a…");
});
