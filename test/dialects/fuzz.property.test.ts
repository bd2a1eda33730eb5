// Whatever a journal could hold by its schemas, in whatever order: no dialect throws, what it tells is
// JSON, and a cursor still stands for one event.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../support/tries.ts";
import { encode, type EmitOptions } from "../../src/kernel/dialect/dialect.ts";
import { draftProblem, EVENT_TYPES, type Draft } from "../../src/kernel/events/events.ts";
import { eventSequences, knownDrafts } from "../support/recordings/event-arbitraries.ts";
import type { AnyEvent } from "../support/recordings/session-recordings.ts";
import { REDUCERS, emit, mostFrames, TELLERS, type Teller } from "../support/recordings/emitted.ts";

const FRAMES = tries(100_000);
const RUNS = tries(1_000);

test("[W2] what is tried is what a journal may hold, and all of it", () => {
  const seen = new Set<string>();
  for (const draft of fc.sample(knownDrafts, 2_000)) {
    seen.add(draft.type);
    assert.equal(draftProblem(draft as Draft), undefined);
  }
  assert.deepEqual(
    EVENT_TYPES.filter((type) => !seen.has(type)),
    [],
  );
});

test(`[W2, W3] ${FRAMES} frames of arbitrary events: no throw, plain JSON, one frame per cursor`, () => {
  const sequences = eventSequences(100);
  const counts = Object.fromEntries(TELLERS.map(({ name }) => [name, 0]));
  fc.assert(
    fc.property(sequences, fc.boolean(), (events, replay) => {
      for (const teller of TELLERS) {
        counts[teller.name] = (counts[teller.name] ?? 0) + emitted(teller, events, { replay });
      }
    }),
    { numRuns: RUNS },
  );
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  assert.ok(total >= FRAMES, JSON.stringify(counts));
  assert.ok(
    Object.values(counts).every((count) => count > 0),
    JSON.stringify(counts),
  );
});

test("[W2] trees are drawn from whatever frames arbitrary events become", () => {
  fc.assert(
    fc.property(eventSequences(60), (events) => {
      for (const { of, fold } of Object.values(REDUCERS)) {
        const teller = TELLERS.find(({ name }) => name === of);
        assert.ok(teller);
        assertPlain(fold(emit(teller, events).map(({ frame }) => frame)), of);
      }
    }),
    { numRuns: tries(150) },
  );
});

/** How many frames came of it. */
function emitted(teller: Teller, events: readonly AnyEvent[], emitOptions: EmitOptions): number {
  const state = teller.begin();
  let count = 0;
  let last = -1;
  for (const event of events) {
    const frames = encode(teller, event, state, emitOptions);
    assert.ok(frames.length <= mostFrames(teller, event), `${event.type}: ${frames.length} frames`);
    for (const frame of frames) {
      assert.equal(typeof teller.kind(frame), "string");
      assertPlain(frame, `${teller.name} ${event.type}`);
      const cursor = teller.cursor?.({ ...frame });
      if (cursor === undefined) continue;
      assert.ok(cursor > last, `${event.type}: ${cursor} after ${last}`);
      last = cursor;
    }
    count += frames.length;
  }
  assertPlain(state, teller.name);
  return count;
}

/** Nothing that JSON would change or lose; a field that is undefined is one that is not there. */
function assertPlain(value: unknown, where: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") return assert.ok(Number.isFinite(value), where);
  assert.equal(typeof value, "object", where);
  const prototype = Object.getPrototypeOf(value) as unknown;
  assert.ok([Object.prototype, Array.prototype, null].includes(prototype as null), where);
  for (const child of Object.values(value as object)) {
    if (child !== undefined || Array.isArray(value)) assertPlain(child, where);
  }
}
