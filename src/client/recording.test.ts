import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../protocol/events.ts";
import { createRecording, eventByEvent, type Lens } from "./recording.ts";

const event = (session_seq: number) => ({ session_seq }) as RunEvent;
const filled = (count: number) => {
  const recording = createRecording("s");
  for (let seq = 1; seq <= count; seq += 1) recording.append(event(seq));
  return recording;
};
const sum: Lens<{ total: number }> = {
  empty: () => ({ total: 0 }),
  apply: eventByEvent(({ total }, { session_seq }) => ({ total: total + session_seq })),
};
/** Changes its state in place, as dialects do. */
const inPlace: Lens<{ seen: number[] }> = {
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
