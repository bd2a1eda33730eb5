// The list behind every fold, against a plain array.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyVector, get, last, push, set, toArray, values, vectorOf } from "./vector.ts";

const BOUNDARIES = [0, 1, 31, 32, 33, 63, 64, 65, 1_023, 1_024, 1_055, 1_056, 1_057, 1_088, 2_100];

test("[F5] a vector of any size around a level's edge is the array it was made of", () => {
  for (const length of [...BOUNDARIES, 32 * 32 * 32 + 32, 32 * 32 * 32 + 33]) {
    const array = Array.from({ length }, (_, index) => index);
    const vector = vectorOf(array);
    assert.equal(vector.length, length);
    assert.deepEqual(toArray(vector), array);
    assert.equal(last(vector), array.at(-1));
    for (const index of [-1, length, length + 1]) assert.equal(get(vector, index), undefined);
  }
});

const lengths = fc.oneof(fc.constantFrom(...BOUNDARIES), fc.nat(1_200));
const changes = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("push" as const), value: fc.integer() }),
    fc.record({ kind: fc.constant("set" as const), at: fc.nat(), value: fc.integer() }),
  ),
  { maxLength: 60 },
);

test("[F1] push and set do what an array does, and old versions never change", () => {
  fc.assert(
    fc.property(lengths, changes, (length, ops) => {
      let array = Array.from({ length }, (_, index) => index);
      let vector = vectorOf(array);
      const versions = [{ array, vector }];
      for (const op of ops) {
        if (op.kind === "push") {
          array = [...array, op.value];
          vector = push(vector, op.value);
        } else if (array.length > 0) {
          const at = op.at % array.length;
          array = array.with(at, op.value);
          vector = set(vector, at, op.value);
        }
        versions.push({ array, vector });
      }
      for (const version of versions) assert.deepEqual(toArray(version.vector), version.array);
    }),
    { numRuns: 60 },
  );
});

test("[F2] set leaves every other item with its identity", () => {
  const items = Array.from({ length: 1_100 }, (_, index) => ({ index }));
  const vector = vectorOf(items);
  const changed = set(vector, 40, { index: -1 });
  for (const [index, item] of items.entries()) {
    if (index !== 40) assert.equal(get(changed, index), item);
  }
  assert.equal(get(vector, 40), items[40]);
});

test("[F1] setting outside changes nothing; reading goes on from any place", () => {
  const vector = vectorOf([1, 2, 3]);
  assert.equal(set(vector, 3, 9), vector);
  assert.equal(set(vector, -1, 9), vector);
  assert.deepEqual([...values(vector, 1)], [2, 3]);
  assert.deepEqual([...values(emptyVector(), 0)], []);
});
