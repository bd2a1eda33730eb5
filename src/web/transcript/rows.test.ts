import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../kernel/state/run/items.ts";
import { emptyRun, type RunState } from "../../kernel/state/run/state.ts";
import type { RunSummary } from "../../kernel/state/session/session-state.ts";
import { vectorOf } from "../../kernel/state/vector.ts";
import { ALL_GROUPS, groupKey, undoneKey } from "./folds.ts";
import { createGrouping } from "./groups.ts";
import { rowsOf, type Row, type Rows, type Shown } from "./rows.ts";
import { placesOf } from "./selected-place.ts";

const withItems = (runId: string, items: readonly Item[], depth = 0): RunState => ({
  ...emptyRun(runId),
  seq: items.length + 2,
  depth,
  items: vectorOf(items),
});
const notice = (seq: number) => ({ kind: "notice", seq }) as Item;
const run = (runId: string, items: number, depth = 0): RunState =>
  withItems(
    runId,
    Array.from({ length: items }, (_, at) => notice(at + 1)),
    depth,
  );
const call = (seq: number, more: object = {}) =>
  ({
    kind: "tool",
    seq,
    callId: `c${seq}`,
    name: "read",
    status: "completed",
    request: null,
    plan: { arguments: {} },
    childRunId: null,
    ...more,
  }) as unknown as Item;

const NOTHING: Shown = { folds: new Map(), elsewhere: new Set(), selected: null };

function list(
  runs: readonly RunState[],
  shown: Partial<Shown> = {},
  rewound: readonly string[] = [],
) {
  const order = vectorOf(
    runs.map(({ runId }) => ({ runId, rewound: rewound.includes(runId) }) as RunSummary),
  );
  const byId = Object.fromEntries(runs.map((state) => [state.runId, state]));
  return rowsOf(order, byId, { shown: { ...NOTHING, ...shown }, grouping: createGrouping() });
}

const name = (row: Row | undefined) => {
  if (row?.kind === "item") return `${row.runId} ${row.index}`;
  if (row?.kind === "group")
    return `${row.runId} ${row.open ? "open" : "shut"} ${row.group.from}-${row.group.to}`;
  return row && `${row.runId} ${row.kind}`;
};
const names = (rows: Rows) => Array.from({ length: rows.count }, (_, row) => name(rows.at(row)));

test("[V1] rows are every item of every root run in order, each run with its end", () => {
  const rows = list([run("a", 2), run("a.child", 9, 1), run("b", 0), run("c", 1)]);
  assert.deepEqual(names(rows), ["a 0", "a 1", "a end", "b end", "c 0", "c end"]);
});

test("[V1] there is no row outside the list and no key twice", () => {
  const rows = list(
    [
      run("a", 40),
      withItems(
        "b",
        [1, 2, 3, 4].map((seq) => call(seq)),
      ),
    ],
    { folds: new Map([[ALL_GROUPS, true]]) },
  );
  assert.equal(rows.at(-1), undefined);
  assert.equal(rows.at(rows.count), undefined);
  const keys = Array.from({ length: rows.count }, (_, row) => rows.keyAt(row));
  assert.equal(new Set(keys).size, keys.length);
});

test("[UX] an undone run is one row until it is opened, and what waits elsewhere is not shown twice", () => {
  const runs = [run("a", 2), run("b", 1), run("c", 1)];
  assert.deepEqual(names(list(runs, { elsewhere: new Set(["c"]) }, ["a"])), [
    "a undone",
    "b 0",
    "b end",
  ]);
  const opened = ["a undone", "a 0", "a 1", "a end", "b 0", "b end", "c 0", "c end"];
  assert.deepEqual(names(list(runs, { folds: new Map([[undoneKey("a"), true]]) }, ["a"])), opened);
  assert.deepEqual(
    names(list(runs, { selected: { runId: "a", index: 1 } }, ["a"])),
    opened,
    "what is selected is open",
  );
});

test("[UX] a group is one row; open it is a head above its calls", () => {
  const mixed = withItems("a", [notice(1), call(2), call(3), call(4), notice(5), call(6)]);
  const shut = ["a 0", "a shut 1-4", "a 4", "a 5", "a end"];
  const open = ["a 0", "a open 1-4", "a 1", "a 2", "a 3", "a 4", "a 5", "a end"];
  assert.deepEqual(names(list([mixed])), shut);
  assert.deepEqual(names(list([mixed], { folds: new Map([[groupKey("c3"), true]]) })), open);
  assert.deepEqual(names(list([mixed], { selected: { runId: "a", index: 2 } })), open);
  assert.deepEqual(names(list([mixed], { selected: { runId: "a", index: 4 } })), shut);
  const all = new Map<string, boolean>([[ALL_GROUPS, true]]);
  assert.deepEqual(names(list([mixed], { folds: all })), open);
  assert.deepEqual(
    names(list([mixed], { folds: new Map([...all, [groupKey("c2"), false]]) })),
    shut,
  );
});

test("[UX] every item has its row, or the head it is folded behind, and what is new is counted either way", () => {
  const mixed = withItems("b", [notice(1), call(2), call(3), call(4), notice(5)]);
  const shut = list([run("a", 3), mixed]);
  const rowsOfB = [0, 1, 2, 3, 4].map((index) => shut.rowOf({ runId: "b", index }));
  assert.deepEqual(rowsOfB, [4, 5, 5, 5, 6]);
  const open = list([run("a", 3), mixed], { folds: new Map([[ALL_GROUPS, true]]) });
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((index) => open.rowOf({ runId: "b", index })),
    [4, 6, 7, 8, 9],
  );
  assert.deepEqual([shut.things, open.things], [10, 10]);
  assert.equal(shut.rowOf({ runId: "nobody", index: 0 }), null);
});

test("[UX] an event is found at the item it belongs to, a subagent's inside the call that asked for it", () => {
  const root = withItems("a", [notice(1), call(4, { childRunId: "a.1" }), notice(9)]);
  const child = { ...withItems("a.1", [notice(1), call(3), notice(8)], 1), parentRunId: "a" };
  const runs = { a: root, "a.1": child };
  const places = (runId: string, seq: number) => placesOf({ runs }, { runId, seq });
  assert.deepEqual(places("a", 9), [{ runId: "a", index: 2 }]);
  assert.deepEqual(
    places("a", 6),
    [{ runId: "a", index: 1 }],
    "what came between belongs to what began before",
  );
  assert.deepEqual(places("a.1", 3), [
    { runId: "a", index: 1 },
    { runId: "a.1", index: 1 },
  ]);
  assert.equal(places("a", 0), null);
  assert.equal(places("b", 1), null);
});

test("[UX] what was opened or shut meanwhile is seen, though nothing else changed", () => {
  const mixed = withItems("a", [call(2), call(3), call(4)]);
  const order = vectorOf([{ runId: "a", rewound: false } as RunSummary]);
  const grouping = createGrouping();
  const count = (shown: Shown) => rowsOf(order, { a: mixed }, { shown, grouping }).count;
  assert.equal(count(NOTHING), 2);
  assert.equal(count({ ...NOTHING, folds: new Map([[groupKey("c2"), true]]) }), 5);
  assert.equal(count({ ...NOTHING, selected: { runId: "a", index: 1 } }), 5);
  assert.equal(count(NOTHING), 2);
});
