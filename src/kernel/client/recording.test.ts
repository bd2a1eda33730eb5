import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RunEvent } from "../events/events.ts";
import { createRecording, eventByEvent, type Fold } from "./recording.ts";

const event = (session_seq: number) => ({ session_seq }) as RunEvent;
const filled = (count: number) => {
  const recording = createRecording("s");
  for (let seq = 1; seq <= count; seq += 1) recording.append(event(seq));
  return recording;
};
const sum: Fold<{ total: number }> = {
  empty: () => ({ total: 0 }),
  apply: eventByEvent(({ total }, { session_seq }) => ({ total: total + session_seq })),
};
/** Changes its state in place, as dialects do. */
const inPlace: Fold<{ seen: number[] }> = {
  empty: () => ({ seen: [] }),
  apply: eventByEvent((state, { session_seq }) => {
    state.seen.push(session_seq);
    return { seen: state.seen };
  }),
  copy: ({ seen }) => ({ seen: [...seen] }),
};
const sumTo = (n: number) => (n * (n + 1)) / 2;

test("[V2] a fold at any moment is the fold of the events up to it, whatever was asked before", () => {
  const recording = filled(2_000);
  for (const at of [2_000, 1, 0, 257, 256, 255, 1_999, 512, 2_000, 700, 700, 3]) {
    assert.equal(recording.fold(sum, at).total, sumTo(at), `at ${at}`);
    assert.equal(recording.fold(inPlace, at).seen.length, at, `in place at ${at}`);
  }
});

test("[V2] what a state that changes in place was earlier is not touched by going on", () => {
  const recording = filled(600);
  assert.equal(recording.fold(inPlace, 600).seen.length, 600);
  assert.equal(recording.fold(inPlace, 300).seen.length, 300);
  recording.append(event(601));
  assert.equal(recording.fold(inPlace, 601).seen.length, 601);
  assert.deepEqual(recording.fold(inPlace, 2).seen, [1, 2]);
});

test("[V2] asked again for the same moment, it is the same object: nothing is drawn twice", () => {
  const recording = filled(600);
  recording.fold(sum, 600);
  assert.equal(recording.fold(sum, 300), recording.fold(sum, 300));
  assert.equal(recording.fold(sum, 600), recording.fold(sum, 600));
});

test("[V1] a gap is refused; a cleared recording begins again", () => {
  const recording = filled(3);
  assert.throws(() => recording.append(event(5)), /gap/);
  assert.equal(recording.length, 3);
  recording.fold(sum, 3);
  recording.clear();
  recording.append(event(1));
  assert.equal(recording.fold(sum, 1).total, 1);
});

test("[V2, L8] a fold that came ahead of its events is there at once, every other moment when they are", async () => {
  const order = fc.shuffledSubarray(
    Array.from({ length: 300 }, (_, at) => at + 1),
    { minLength: 300 },
  );
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 1, max: 399 }), async (late, at) => {
      const recording = createRecording("s");
      recording.begin(sum, { seq: 300, state: { total: sumTo(300) } });
      for (let seq = 301; seq <= 400; seq += 1) recording.append(event(seq));
      assert.equal(recording.length, 400);
      assert.equal(recording.fold(sum, 400).total, sumTo(400));
      assert.equal(
        recording.fold(inPlace, 400),
        recording.fold(inPlace, 2),
        "nothing, and the same",
      );
      assert.deepEqual([recording.has(299), recording.has(300)], [false, true]);
      const whole = recording.whole();
      for (const seq of late) recording.fill(event(seq));
      recording.fill({ ...event(at), type: "repeated" } as unknown as RunEvent);
      await whole;
      assert.equal(recording.whole(), undefined);
      assert.equal(recording.at(at)?.type, undefined, "what is here stays");
      assert.equal(recording.fold(sum, at).total, sumTo(at));
      assert.equal(recording.fold(inPlace, at).seen.length, at);
      assert.equal(recording.fold(sum, 400).total, sumTo(400));
    }),
    { numRuns: 30 },
  );
});

test("[V1, L8] a recording that is cleared waits for nothing more, and one that has begun takes no fold", async () => {
  const recording = createRecording("s");
  recording.begin(sum, { seq: 3, state: { total: 6 } });
  const whole = recording.whole();
  recording.clear();
  await whole;
  recording.append(event(1));
  recording.fill(event(1));
  assert.deepEqual([recording.length, recording.whole(), recording.has(0)], [1, undefined, true]);
  assert.throws(() => recording.begin(sum, { seq: 3, state: { total: 6 } }), /begun/);
});
