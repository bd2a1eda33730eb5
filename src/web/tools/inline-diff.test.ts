import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { changedLines, linesOfCall, sizeOf } from "./inline-diff.ts";

const written = (before: string, after: string) =>
  changedLines(before, after).map(({ kind, text }) => `${kind === "added" ? "+" : "-"}${text}`);

test("[UX] an edit shows the lines that differ and no others", () => {
  assert.deepEqual(written("a\nb\nc", "a\nB\nc"), ["-b", "+B"]);
  assert.deepEqual(written("a\na", "a\na\na"), ["+a"]);
  assert.deepEqual(written("", "x\ny\n"), ["+x", "+y"]);
  assert.deepEqual(written("x\n", ""), ["-x"]);
  assert.deepEqual(written("same", "same"), []);
  assert.deepEqual(written("a\n\nb", "a\nb"), ["-"]);
});

const call = (name: string, args: unknown, changes: unknown[] = []) =>
  ({ name, plan: { arguments: args }, changes }) as unknown as ToolItem;

test("[UX] only a call that says both sides, or makes something new, shows its lines", () => {
  assert.equal(
    sizeOf(linesOfCall(call("edit", { old_text: "a", new_text: "b\nc" })) ?? []),
    "+2 −1",
  );
  assert.equal(linesOfCall(call("edit", { old_text: 1, new_text: "b" })), null);
  assert.equal(linesOfCall(call("write", { content: "a" }, [{ before: { sha256: "x" } }])), null);
  assert.equal(linesOfCall(call("write", { content: "a" }, [{ before: null }]))?.length, 1);
  assert.equal(linesOfCall(call("append", { content: "a" }))?.length, 1);
  assert.equal(linesOfCall(call("read", { content: "a" })), null);
});
