import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../protocol/run-items.ts";
import { emptyRun, type RunState } from "../../protocol/run-state.ts";
import type { RunSummary } from "../../protocol/session-state.ts";
import { vectorOf } from "../../protocol/vector.ts";
import { rowsOf, type Row, type Shown } from "./rows.ts";

const run = (runId: string, items: number, depth = 0): RunState => ({
  ...emptyRun(runId),
  seq: items + 2,
  depth,
  items: vectorOf(Array.from({ length: items }, () => ({ kind: "notice" }) as Item)),
});

function rows(...runs: RunState[]): (Row | undefined)[] {
  const order = vectorOf(runs.map(({ runId }) => ({ runId }) as RunSummary));
  const list = rowsOf(order, Object.fromEntries(runs.map((state) => [state.runId, state])));
  return Array.from({ length: list.count }, (_, row) => list.at(row));
}

test("[V1] rows are every item of every root run in order, each run with its end", () => {
  const shown = rows(run("a", 2), run("a.child", 9, 1), run("b", 0), run("c", 1));
  assert.deepEqual(
    shown.map((row) => row && `${row.runId} ${row.kind === "item" ? row.index : "end"}`),
    ["a 0", "a 1", "a end", "b end", "c 0", "c end"],
  );
});

test("[V1] there is no row outside the list and no key twice", () => {
  const order = vectorOf([{ runId: "a" } as RunSummary, { runId: "b" } as RunSummary]);
  const list = rowsOf(order, { a: run("a", 40), b: run("b", 3) });
  assert.equal(list.at(-1), undefined);
  assert.equal(list.at(list.count), undefined);
  const keys = Array.from({ length: list.count }, (_, row) => list.keyAt(row));
  assert.equal(new Set(keys).size, keys.length);
});

const named = (row: Row | undefined) =>
  row && `${row.runId} ${row.kind === "item" ? row.index : row.kind}`;

test("[UX] an undone run is one row until it is opened, and what waits elsewhere is not shown twice", () => {
  const order = vectorOf([
    { runId: "a", rewound: true } as RunSummary,
    { runId: "b", rewound: false } as RunSummary,
    { runId: "c", rewound: false } as RunSummary,
  ]);
  const runs = { a: run("a", 2), b: run("b", 1), c: run("c", 1) };
  const shown = (opened: string[], elsewhere: string[]) => {
    const how: Shown = { opened: new Set(opened), elsewhere: new Set(elsewhere) };
    const list = rowsOf(order, runs, how);
    return Array.from({ length: list.count }, (_, row) => named(list.at(row)));
  };
  assert.deepEqual(shown([], ["c"]), ["a undone", "b 0", "b end"]);
  assert.deepEqual(shown(["a"], []), [
    "a undone",
    "a 0",
    "a 1",
    "a end",
    "b 0",
    "b end",
    "c 0",
    "c end",
  ]);
});
