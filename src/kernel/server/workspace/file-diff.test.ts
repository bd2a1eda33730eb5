import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { unifiedDiff } from "./file-diff.ts";

const lines = fc.array(fc.constantFrom("a", "b", "-- x", "++ y", "@@", ""), { maxLength: 20 });

test("a diff leads from the one content to the other, and counts its lines", () => {
  fc.assert(
    fc.property(lines, lines, (one, other) => {
      const [before, after] = [one.join("\n"), other.join("\n")];
      const diff = unifiedDiff({
        path: "f",
        before: Buffer.from(before),
        after: Buffer.from(after),
      });
      if (before === after) return assert.equal(diff.text, "");
      assert.equal(applyPatch(before, diff.text), after);
      const count = (text: string) =>
        text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
      assert.equal(diff.added - diff.removed, count(after) - count(before));
    }),
  );
});

test("a made and a removed file say so", () => {
  const made = unifiedDiff({ path: "f", before: null, after: Buffer.from("a\nb\n") });
  assert.equal(made.text, "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  assert.deepEqual([made.added, made.removed], [2, 0]);
  const removed = unifiedDiff({ path: "f", before: Buffer.from("a\n"), after: null });
  assert.equal(removed.text, "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
  const unended = unifiedDiff({ path: "f", before: Buffer.alloc(0), after: Buffer.from("a\nb") });
  const end = "\\ No newline at end of file\n";
  assert.equal(unended.text, `--- a/f\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n${end}`);
  assert.deepEqual([removed.added, removed.removed], [0, 1]);
});

test("[B1] bytes are named and not shown; what is too large is cut", () => {
  const binary = unifiedDiff({ path: "f", before: null, after: Buffer.from([1, 0, 2]) });
  assert.deepEqual(binary, { text: "", added: 0, removed: 0, binary: true, truncated: false });
  const large = unifiedDiff({ path: "f", before: null, after: Buffer.alloc((2 << 20) + 1, "x") });
  assert.deepEqual([large.text, large.truncated], ["", true]);
  const many = unifiedDiff({
    path: "f",
    before: null,
    after: Buffer.from("line\n".repeat(100_000)),
  });
  assert.ok(many.truncated && many.text.length <= 262_144 && many.text.endsWith("\n"));
  assert.equal(many.added, 100_000);
  const taken = unifiedDiff({ path: "f", before: Buffer.from("x\n".repeat(100_000)), after: null });
  assert.deepEqual([taken.added, taken.removed], [0, 100_000]);
  const numbers = (from: number) =>
    Buffer.from(Array.from({ length: 40_000 }, (_, at) => `${from + at * 7}\n`).join(""));
  const different = unifiedDiff({ path: "f", before: numbers(0), after: numbers(1) });
  assert.equal(different.truncated, true, "given up: it would take minutes");
});
