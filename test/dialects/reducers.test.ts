// The trees that clients draw from frames: the same however often and however late frames come.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readRecordings } from "../support/recordings/session-recordings.ts";
import { REDUCERS, REPLAY, emit, TELLERS, type Emitted } from "../support/recordings/emitted.ts";

const recordings = readRecordings();
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const framesOf = (emitted: readonly Emitted[]) => emitted.map(({ frame }) => frame);

for (const [reducer, { of, fold }] of Object.entries(REDUCERS)) {
  const teller = TELLERS.find(({ name }) => name === of);
  assert.ok(teller);

  test(`[W1] ${reducer}: cut anywhere and replayed from anywhere before, it ends the same`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordings), fc.nat(), fc.nat(), ({ events }, a, b) => {
        const frames = framesOf(emit(teller, events));
        const cut = a % (frames.length + 1);
        const from = b % (cut + 1);
        const again = [...frames.slice(0, cut), ...frames.slice(from)];
        assert.deepEqual(plain(fold(again)), plain(fold(frames)));
      }),
    );
  });
}

test("[W1] a tree drawn from history is the tree that was drawn live", () => {
  for (const [, { of, fold }] of Object.entries(REDUCERS)) {
    const teller = TELLERS.find(({ name }) => name === of);
    assert.ok(teller);
    for (const { name, events } of recordings) {
      const live: unknown = fold(framesOf(emit(teller, events)));
      const replayed: unknown = fold(framesOf(emit(teller, events, { emitOptions: REPLAY })));
      assert.equal(undated(replayed), undated(live), name);
    }
  }
});

/** Without the marks that say which nodes come from history. */
function undated(state: unknown): string {
  return JSON.stringify(state, (key, value: unknown) => (key === "replay" ? undefined : value));
}
