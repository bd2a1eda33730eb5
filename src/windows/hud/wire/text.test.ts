// The bounds of HUD frames against what Node says about the same texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { utf8Bytes } from "../../../kernel/text/truncate.ts";
import { firstBytes, firstOf, lastBytes, preview } from "./text.ts";

const texts = fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.toWellFormed());

test("[W1] a text is as long as its UTF-8, whatever is in it", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 40 }), (units) => {
      const text = String.fromCharCode(...units);
      assert.equal(utf8Bytes(text), Buffer.byteLength(text));
    }),
  );
});

test("[W1] the beginning and the end of a text fit, are whole characters, and are as long as they may be", () => {
  fc.assert(
    fc.property(texts, fc.nat(80), (text, limit) => {
      const { text: begin, cut } = firstBytes(text, limit);
      assert.ok(text.startsWith(begin) && begin.isWellFormed());
      assert.equal(cut, begin !== text);
      assert.ok(Buffer.byteLength(begin) <= limit);
      if (cut) assert.ok(Buffer.byteLength(begin) + 4 > limit);
      const end = lastBytes(text, Math.max(limit, 1));
      assert.ok(text.endsWith(end) && end.isWellFormed());
      assert.ok(Buffer.byteLength(end) <= Math.max(limit, 1));
      assert.ok(end === text || Buffer.byteLength(end) + 4 > limit);
    }),
  );
});

test("[W1] a preview is one line of at most 80 characters, and says when there is more", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
      const shown = preview(text);
      assert.ok(shown.length <= 80 && shown.isWellFormed() && !/\n/.test(shown));
    }),
  );
  assert.equal(preview("hello world"), "hello world");
  assert.equal(preview("  a\n\n b "), "a b");
  assert.equal(preview("x".repeat(80)), "x".repeat(80));
  assert.equal(preview("x".repeat(81)), `${"x".repeat(79)}…`);
  assert.equal(preview(`${"x".repeat(78)}😀😀`), `${"x".repeat(78)}…`, "no half of a character");
  assert.equal(preview(`a${" ".repeat(1_000)}b`), "a…");
});

test("[W1] of a JSON value as much is kept as fits, in its order; what fits is kept as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(firstOf(value, 100_000), { value, cut: false });
      const { value: some, cut } = firstOf(value, 60);
      assert.equal(cut, JSON.stringify(some) !== JSON.stringify(value));
      assert.ok(JSON.stringify(some).length < 1_200);
    }),
  );
  const long = { path: "a", content: "x".repeat(100), late: 1 };
  assert.deepEqual(firstOf(long, 50).value, { path: "a", content: "x".repeat(26) });
  const empty = firstOf(Array.from({ length: 100_000 }, () => ""));
  assert.ok(empty.cut && (empty.value as string[]).length <= 4_096);
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level += 1) deep = [deep];
  assert.equal(firstOf(deep).cut, true);
});
