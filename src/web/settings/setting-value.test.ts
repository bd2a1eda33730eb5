import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf, valueOf } from "./setting-value.ts";

test("[SE1] what a field shows is what it says when nobody touched it", () => {
  const pairs = [
    ["text", "demo/demo"],
    ["number", 7],
    ["list", ["a", "b c"]],
    ["table", { openai: "http://x" }],
    ["long text", "two\nlines\n"],
    ["text", null],
  ] as const;
  for (const [kind, value] of pairs) {
    assert.deepEqual(valueOf({ kind }, textOf({ kind }, value as never)), { value });
  }
  assert.deepEqual(valueOf({ kind: "number" }, "7 hours"), { problem: "This is not a number." });
  assert.deepEqual(valueOf({ kind: "table" }, "{x"), { problem: "This is not JSON." });
  assert.deepEqual(valueOf({ kind: "list" }, " \n "), { value: null });
});
