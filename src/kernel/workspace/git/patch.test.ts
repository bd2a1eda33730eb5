import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLog, parseStatus, parseWorktrees } from "./parse.ts";
import { parsePatch } from "./patch.ts";

test("[H11] a patch is taken apart by files, whatever their names and contents are", () => {
  const patch = [
    'diff --git "a/t\\303\\244b\\there" "b/t\\303\\244b\\there"',
    "index 1..2 100644",
    '--- "a/t\\303\\244b\\there"',
    '+++ "b/t\\303\\244b\\there"',
    "@@ -1,2 +1,2 @@",
    "-diff --git a/fake b/fake",
    "+--- not a header",
    " @@ nor this",
    "diff --git a/with space b/with space",
    "old mode 100644",
    "new mode 100755",
    "diff --git a/gone b/gone",
    "deleted file mode 100644",
    "--- a/gone",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-x",
    "diff --git a/p.png b/p.png",
    "new file mode 100644",
    "Binary files /dev/null and b/p.png differ",
    "diff --git a/old b/new",
    "similarity index 100%",
    "rename from old",
    "rename to new",
    "",
  ].join("\n");
  assert.deepEqual(
    parsePatch(patch).map(({ path, from, what, added, removed, binary }) => [
      path,
      from,
      what,
      added,
      removed,
      binary,
    ]),
    [
      ["täb\there", null, "changed", 1, 1, false],
      ["with space", null, "changed", 0, 0, false],
      ["gone", null, "deleted", 0, 1, false],
      ["p.png", null, "added", 0, 0, true],
      ["new", "old", "renamed", 0, 0, false],
    ],
  );
  assert.deepEqual(parsePatch(""), []);
  assert.deepEqual(parsePatch("diff --git nonsense"), []);
});

test("[H11] status, log and worktrees are read; what is cut off is left out", () => {
  const status = parseStatus(
    [
      "# branch.oid (initial)",
      "# branch.head (detached)",
      "1 .M N... 100644 100644 100644 h h a file",
      "2 R. N... 100644 100644 100644 h h R100 new",
      "old",
      "u UU N... 1 2 3 4 h h h both",
      "? ? odd",
      "1 .M cut",
    ].join("\0"),
  );
  assert.deepEqual([status.branch, status.head], [null, null]);
  assert.deepEqual(
    status.entries.map(({ path, from, index, worktree }) => [path, from, index + worktree]),
    [
      ["a file", null, ".M"],
      ["new", "old", "R."],
      ["both", null, "UU"],
      ["? odd", null, "??"],
    ],
  );
  assert.equal(parseLog("h\0p\0a\0e\0" + "12\0HEAD -> main, x\0s\0h2\0").length, 1);
  assert.deepEqual(
    parseWorktrees(
      "worktree /a\0HEAD h\0branch refs/heads/m\0\0worktree /b\0HEAD i\0detached\0locked\0\0",
    ),
    [
      { path: "/a", head: "h", branch: "m", locked: false },
      { path: "/b", head: "i", branch: null, locked: true },
    ],
  );
});
