import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "./blocks.ts";
import { createReadTexts } from "./read-texts.ts";

test("[UX] a text that comes back is the same blocks, not read again", () => {
  const read = createReadTexts();
  const first = read("# one\n\ntwo");
  assert.deepEqual(first, blocksOf("# one\n\ntwo"));
  assert.equal(read("# one\n\ntwo"), first);
  assert.notEqual(read("# one\n\nthree"), first);
});

test("[UX] no more is kept than was said; what was asked for last stays", () => {
  const read = createReadTexts(30);
  const [a, b, c] = ["a".repeat(10), "b".repeat(10), "c".repeat(10)];
  const [ofA, ofB] = [read(a), read(b)];
  read(c);
  assert.equal(read(a), ofA); // all three fit; b is now the oldest
  read("d".repeat(10));
  assert.equal(read(a), ofA);
  assert.notEqual(read(b), ofB);
  const huge = "e".repeat(100);
  assert.notEqual(read(huge), read(huge), "what is larger than all that is kept is not kept");
  assert.deepEqual(read(huge), blocksOf(huge));
});
