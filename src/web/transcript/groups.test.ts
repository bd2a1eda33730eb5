import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import type { Item, ToolItem, ToolStatus } from "../../kernel/state/run/items.ts";
import { push, set, vectorOf, type Vector } from "../../kernel/state/vector.ts";
import { changedFrom } from "./changed-from.ts";
import { groupTitle, summaryOf } from "./group-title.ts";
import { groupItems, type Grouped } from "./groups.ts";

let calls = 0;
const call = (status: ToolStatus = "completed", name = "exec", more: object = {}): Item => {
  calls += 1;
  const plan = { arguments: { command: `run ${calls}`, path: `file-${calls}` } };
  const item = { kind: "tool", callId: `c${calls}`, name, status, request: null, plan, ...more };
  return item as unknown as Item;
};
const words = (kind: "text" | "reasoning" | "user" | "notice"): Item =>
  ({ kind, text: "" }) as Item;
const thought = () => words("reasoning");

const spans = (...items: Item[]) =>
  groupItems(undefined, vectorOf(items)).groups.map(({ from, to }) => [from, to]);

test("[UX] calls that follow each other are one group, with the thinking between them", () => {
  assert.deepEqual(spans(call(), call(), call()), [[0, 3]]);
  assert.deepEqual(spans(thought(), call(), thought(), call(), call(), thought()), [[1, 5]]);
  assert.deepEqual(spans(call(), call(), call(), words("text"), call(), call(), call()), [
    [0, 3],
    [4, 7],
  ]);
});

test("[UX] one or two calls are no group", () => {
  assert.deepEqual(spans(call(), call(), words("text"), call()), []);
});

test("[UX] what a person must see is never in a group", () => {
  const loud: Item[] = [
    call("awaiting_approval"),
    call("awaiting_clarify"),
    call("failed"),
    call("denied"),
    call("outcome_unknown"),
    call("completed", "delegate"),
    call("completed", "clarify"),
    call("completed", "exec", { request: { id: "q", answer: { status: "approved" } } }),
  ];
  for (const item of loud) {
    assert.deepEqual(spans(call(), call(), call(), item, call(), call(), call()), [
      [0, 3],
      [4, 7],
    ]);
    assert.deepEqual(spans(call(), call(), item), []);
  }
});

test("[UX] words that stream in change no group, and a change touches only its own", () => {
  const items = vectorOf([
    ...Array.from({ length: 40 }, () => call()),
    words("text"),
    ...Array.from({ length: 3 }, () => call()),
    thought(),
  ]);
  const first = groupItems(undefined, items);
  const streamed = groupItems(first, set(items, 44, thought()));
  assert.equal(streamed.groups, first.groups, "the very same list");
  const changed = groupItems(first, set(items, 42, call("running")));
  assert.equal(changed.groups[0], first.groups[0]);
  assert.notEqual(changed.groups[1], first.groups[1]);
  const appended = groupItems(first, push(items, words("text")));
  assert.equal(appended.groups, first.groups);
});

const KINDS: readonly (() => Item)[] = [
  () => call(),
  () => call("running"),
  () => call("failed"),
  thought,
  () => words("text"),
];
const item = fc.nat(KINDS.length - 1).map((kind) => KINDS[kind]?.() ?? call());

test("[V2] grouping step by step is grouping at once, whatever changes and whatever comes back", () => {
  const step = fc.record({ at: fc.nat(2_000), item, how: fc.constantFrom("push", "set", "cut") });
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 1_100 }),
      fc.array(step, { maxLength: 30 }),
      (from, steps) => {
        let items: Vector<Item> = vectorOf(from);
        let grouped: Grouped = groupItems(undefined, items);
        for (const { at, item: next, how } of steps) {
          if (how === "push") items = push(items, next);
          else if (how === "set") items = set(items, at % Math.max(1, items.length), next);
          else items = vectorOf(from.slice(0, at % (from.length + 1))); // the scrubber
          grouped = groupItems(grouped, items);
          assert.deepEqual(grouped.groups, groupItems(undefined, items).groups);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("[S5] where two lists begin to differ is found without walking them", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), fc.nat(), (length, seed) => {
      const items = vectorOf(Array.from({ length }, (_, index) => ({ index })));
      const at = seed % length;
      assert.equal(changedFrom(items, set(items, at, { index: -1 })), at);
      assert.equal(changedFrom(items, push(items, { index: length })), length);
      assert.equal(changedFrom(items, items), length);
    }),
    { numRuns: tries(200) },
  );
});

test("[S5] 18,000 changes in a run of 600 calls cost no more than looking at what changed", () => {
  let items = vectorOf<Item>([]);
  let grouped: Grouped | undefined;
  for (let at = 0; at < 600; at += 1) {
    items = push(items, at % 20 === 19 ? words("text") : call());
    grouped = groupItems(grouped, items);
  }
  items = push(items, words("text"));
  grouped = groupItems(grouped, items);
  const { groups } = grouped;
  for (let token = 0; token < 18_000; token += 1) {
    items = set(items, 600, words("text"));
    grouped = groupItems(grouped, items);
  }
  assert.equal(grouped.groups, groups, "not one of them was made anew");
});

test("[UX] a group says what was done, and while it runs what is being done", () => {
  const done = [
    call("completed", "exec"),
    call("completed", "exec"),
    call("completed", "read", { plan: { arguments: { path: "a" } } }),
    call("completed", "read", { plan: { arguments: { path: "a" } } }),
    call("completed", "edit"),
    call("cancelled", "write"),
  ] as ToolItem[];
  assert.equal(summaryOf(done), "Ran 2 commands, read 1 file, edited 2 files, 1 stopped");
  const running = call("running", "exec", { plan: { arguments: { command: "npm test" } } });
  assert.equal(groupTitle([...done, running as ToolItem]), "npm test");
  assert.equal(groupTitle(done), summaryOf(done));
});
