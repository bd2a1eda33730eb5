// The index against a Map.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EMPTY_INDEX, enter, lookUp } from "./index.ts";

const keys = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom("__proto__", "constructor", "toString", ""),
  // The same FNV-1a: only a bucket tells them apart.
  fc.constantFrom("costarring", "liquid", "declinate", "macallums"),
);

test("[F1] an index knows what was entered last, and older ones stay as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.nat()), { maxLength: 300 }), (entries) => {
      const map = new Map<string, number>();
      let index = EMPTY_INDEX;
      for (const [key, value] of entries) {
        const before = index;
        const known = map.get(key);
        index = enter(index, key, value);
        assert.equal(lookUp(before, key), known);
        map.set(key, value);
        assert.equal(lookUp(index, key), value);
      }
      for (const [key, value] of map) assert.equal(lookUp(index, key), value);
      assert.equal(lookUp(index, "never entered"), undefined);
    }),
  );
});

test("[F5] an entry into a large index copies a handful of nodes", () => {
  let index = EMPTY_INDEX;
  for (let at = 0; at < 20_000; at += 1) index = enter(index, `key ${at}`, at);
  const next = enter(index, "one more", 1);
  const nodes = (node: unknown, stop?: ReadonlySet<unknown>): unknown[] =>
    Array.isArray(node) && !stop?.has(node)
      ? [node, ...node.flatMap((child: unknown) => nodes(child, stop))]
      : [];
  const known = new Set(nodes(index));
  const copied = nodes(next, known).filter((node) => !known.has(node));
  assert.ok(copied.length <= 5, `${copied.length} nodes were copied`);
  assert.equal(lookUp(next, "key 19999"), 19_999);
});
