import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyRun, type RunState } from "../../kernel/state/run/state.ts";
import type { FileChange } from "../../kernel/events/catalogue/files.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import { vectorOf } from "../../kernel/state/vector.ts";
import { diffLines } from "./diff-lines.ts";
import { filesOf } from "./run-files.ts";

test("[UX] a diff is its hunks: added, removed, unchanged, and the file names are left out", () => {
  const text = [
    "--- a/x.txt",
    "+++ b/x.txt",
    "@@ -1,2 +1,2 @@",
    " same",
    "-old",
    "+new",
    "\\ No newline at end of file",
    "",
  ].join("\n");
  assert.deepEqual(
    diffLines(text).map(({ kind }) => kind),
    ["hunk", "same", "removed", "added", "note"],
  );
  assert.deepEqual(diffLines(""), []);
});

test("[UX] a line that looks like a header inside a hunk is a line", () => {
  const lines = diffLines("@@ -1 +1 @@\n--- a comment\n+++ another\n");
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["hunk", "removed", "added"],
  );
});

const version = (sha256: string) => ({ sha256, bytes: 1, mode: 0o644 });
const run = (runId: string, rootRunId: string, changes: FileChange[]): RunState => ({
  ...emptyRun(runId),
  rootRunId,
  items: vectorOf([{ kind: "tool", changes } as unknown as Item]),
});

test("[UX] a run's files are its own and its subagents', without those that are as they were", () => {
  const runs = {
    a: run("a", "a", [
      { path: "new", before: null, after: version("1") },
      { path: "back", before: version("1"), after: version("2") },
    ]),
    "a.c": run("a.c", "a", [
      { path: "child", before: null, after: version("3") },
      { path: "back", before: version("2"), after: version("1") },
    ]),
    b: run("b", "b", [{ path: "other", before: null, after: version("4") }]),
  };
  assert.deepEqual(filesOf(runs, "a"), ["new", "child"]);
  assert.deepEqual(filesOf(runs, "b"), ["other"]);
});
