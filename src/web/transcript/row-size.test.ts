import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextItem, ToolItem } from "../../kernel/state/run/items.ts";
import { roughSize } from "./row-size.ts";

const row = { kind: "item", runId: "r", undone: false, index: 0, grouped: false } as const;
const text = (length: number) => ({ kind: "text", text: "x".repeat(length) }) as TextItem;
const tool = (head: string) => ({ kind: "tool", output: { head }, live: "" }) as ToolItem;

test("[UX] a long text is expected to be higher than a short one", () => {
  const sizes = [0, 100, 1_000, 10_000].map((length) => roughSize(row, text(length)));
  assert.equal(sizes[0], sizes[1], "one line at least");
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => a - b),
  );
  assert.ok((sizes[3] ?? 0) > 2_000);
});

test("[UX] output is expected to scroll by itself from some length on", () => {
  assert.ok(roughSize(row, tool("")) < roughSize(row, tool("one line")));
  assert.equal(roughSize(row, tool("x".repeat(10_000))), roughSize(row, tool("x".repeat(100_000))));
});

test("[UX] every kind of row has a height, also one whose item is gone", () => {
  const of = { runId: "r", undone: false };
  const group = { from: 0, to: 3, calls: [] };
  for (const each of [
    { ...of, kind: "end" } as const,
    { ...of, kind: "undone" } as const,
    { ...of, kind: "group", group, open: false } as const,
    row,
    undefined,
  ]) {
    assert.ok(roughSize(each, undefined) > 0);
  }
});
