import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeNode } from "./node.ts";
import {
  allFolds,
  moveFor,
  opened,
  pathTo,
  rowsOf,
  typedAhead,
  type Folds,
  type TreeRow,
} from "./rows.ts";

type Given = Partial<Pick<TreeNode, "mark" | "childRunId" | "runId" | "endSeq" | "seq">>;

function node(label: string, children: TreeNode[] = [], given: Given = {}): TreeNode {
  const below = children.reduce((sum, { marked }) => sum + marked, 0);
  return {
    key: label,
    runId: "r1",
    seq: null,
    endSeq: null,
    childRunId: null,
    mark: null,
    source:
      children.length > 0 && !given.childRunId
        ? { kind: "turn", turn: { phase: "over" } }
        : { kind: "item" },
    children,
    ...given,
    marked: below + (given.mark ? 1 : 0),
  } as TreeNode;
}
const TREE: TreeNode = {
  ...node("root", [
    node("Alpha", [], { seq: 3 }),
    node("Beta", [node("Bread", [], { seq: 5 }), node("Call", [], { seq: 6, mark: "problem" })], {
      seq: 4,
      endSeq: 8,
    }),
    node("Agent", [node("Inner", [], { runId: "r2", seq: 4 })], { seq: 9, childRunId: "r2" }),
  ]),
  source: { kind: "run" } as TreeNode["source"],
  childRunId: "r1",
};
const NONE: Folds = new Map();
const all = (folds: Folds = NONE, markedOnly = false) => rowsOf(TREE, { folds, markedOnly });
const names = (rows: readonly TreeRow[]) => rows.map(({ node: { key } }) => key);

test("[UX] subagents are closed until opened; rows know their level and their place", () => {
  const rows = all();
  assert.deepEqual(names(rows), ["root", "Alpha", "Beta", "Bread", "Call", "Agent"]);
  const places = rows.map(({ level, position, siblings, open }) => [
    level,
    position,
    siblings,
    open,
  ]);
  assert.deepEqual(places, [
    [1, 1, 1, true],
    [2, 1, 3, null],
    [2, 2, 3, true],
    [3, 1, 2, null],
    [3, 2, 2, null],
    [2, 3, 3, false],
  ]);
  assert.deepEqual(names(all(new Map([["Agent", true]]))).at(-1), "Inner");
});

test("[UX] only problems: what has a mark and what is above it, opened", () => {
  assert.deepEqual(names(all(NONE, true)), ["root", "Beta", "Call"]);
  const calm = rowsOf(node("calm", [node("fine")]), { folds: NONE, markedOnly: true });
  assert.deepEqual(names(calm), ["calm"], "never an empty screen");
});

test("[UX] arrows, Home and End walk the rows; right and left open, enter, close and leave", () => {
  const rows = all();
  const to = (key: string, from: number) => moveFor(key, rows, from, NONE);
  assert.deepEqual(to("ArrowDown", 0), { to: 1 });
  assert.deepEqual(to("ArrowDown", 5), { to: 5 });
  assert.deepEqual(to("ArrowUp", 0), { to: 0 });
  assert.deepEqual([to("Home", 4), to("End", 0)], [{ to: 0 }, { to: 5 }]);
  assert.deepEqual(to("ArrowRight", 2), { to: 3 });
  assert.deepEqual(to("ArrowRight", 1), null);
  assert.deepEqual(to("ArrowRight", 5), { fold: new Map([["Agent", true]]) });
  assert.deepEqual(to("ArrowLeft", 4), { to: 2 });
  assert.deepEqual(to("ArrowLeft", 2), { fold: new Map([["Beta", false]]) });
  assert.deepEqual(to("ArrowLeft", 1), { to: 0 });
  assert.equal(to("x", 1), null);
  assert.deepEqual(to("ArrowDown", 99), { to: 0 }, "lost, it begins again");
});

test("[UX] * opens every sibling, and letters lead to the next row that begins so", () => {
  const closed: Folds = new Map([["Beta", false]]);
  const rows = all(closed);
  const move = moveFor("*", rows, 1, closed);
  assert.ok(move && "fold" in move);
  assert.deepEqual(names(all(move.fold)), [
    "root",
    "Alpha",
    "Beta",
    "Bread",
    "Call",
    "Agent",
    "Inner",
  ]);
  const open = all();
  const ahead = (from: readonly TreeRow[], at: number, typed: string) =>
    typedAhead(from, at, typed, ({ key }) => key);
  assert.equal(ahead(open, 0, "b"), 2);
  assert.equal(ahead(open, 2, "b"), 3);
  assert.equal(ahead(open, 2, "bb"), 3, "the same letter again goes on");
  assert.equal(ahead(open, 2, "br"), 3);
  assert.equal(ahead(open, 5, "a"), 1, "around the end");
  assert.equal(ahead(open, 0, "zz"), null);
});

test("[UX] an event leads to the node it began, or else to the smallest one around it", () => {
  const way = (runId: string, seq: number) => pathTo(TREE, { runId, seq }).map(({ key }) => key);
  assert.deepEqual(way("r1", 6), ["root", "Beta", "Call"]);
  assert.deepEqual(way("r1", 7), ["root", "Beta"]);
  assert.deepEqual(way("r1", 8), ["root", "Beta"]);
  assert.deepEqual(way("r1", 20), ["root"]);
  assert.deepEqual(way("r2", 4), ["root", "Agent", "Inner"]);
  assert.deepEqual(way("r2", 99), ["root", "Agent"]);
  assert.deepEqual(way("nobody", 1), []);
  const path = pathTo(TREE, { runId: "r2", seq: 4 });
  assert.deepEqual(names(all(opened(NONE, path.slice(0, -1)))).at(-1), "Inner");
  assert.equal(opened(NONE, path.slice(0, 1)), NONE);
});

test("[UX] everything opens, and everything closes but the first level", () => {
  assert.equal(all(allFolds(TREE, true)).length, 7);
  assert.deepEqual(names(all(allFolds(TREE, false))), ["root", "Alpha", "Beta", "Agent"]);
});
