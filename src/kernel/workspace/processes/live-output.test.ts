import assert from "node:assert/strict";
import { test } from "node:test";
import { liveOutput, type Pace, type Piece } from "./live-output.ts";
import { createOutputRing } from "./output-ring.ts";
import { waitUntil } from "../host/test-support.ts";

const PACE: Pace = {
  soonMs: 1,
  everyMs: 5,
  pieceBytes: 10,
  enoughBytes: 40,
  slowMs: 60_000,
  slowBytes: 4,
};

function watched(pace = PACE) {
  const ring = createOutputRing(1_000);
  const pieces: Piece[] = [];
  let room = Promise.resolve();
  const live = liveOutput(
    ring,
    async (piece) => {
      pieces.push(piece);
      await room;
    },
    pace,
  );
  const print = (text: string) => {
    ring.add(Buffer.from(text));
    live.printed();
  };
  return { live, pieces, print, block: (until: Promise<void>) => void (room = until) };
}

const shown = (pieces: readonly Piece[]) =>
  pieces.map(({ offset, total, data }) => [offset, data.toString(), total]);

test("[R17] what was printed is told once, and the end of it at the end", async () => {
  const { live, pieces, print } = watched();
  print("one ");
  print("two ");
  await waitUntil("a piece", () => pieces.length === 1);
  assert.deepEqual(shown(pieces), [[0, "one two ", 8]]);
  print("end");
  await live.finish();
  assert.deepEqual(shown(pieces).slice(1), [[8, "end", 11]]);
  await live.finish();
  assert.equal(pieces.length, 2);
});

test("[R17b] of a flood the newest part is told, and the offset says what was left out", async () => {
  const { live, pieces, print } = watched();
  print("a".repeat(95) + "newest");
  await waitUntil("a piece", () => pieces.length === 1);
  assert.deepEqual(shown(pieces), [[91, "aaaanewest", 101]]);
  await live.finish();
});

test("[R17a] after enough only a trickle is told, and the tail when it ends", async () => {
  const { live, pieces, print } = watched();
  for (let emitted = 0; emitted < 4; emitted += 1) {
    print("0123456789");
    await waitUntil("a piece", () => pieces.length > emitted);
  }
  print("x".repeat(30));
  const other = watched(); // tells as often as this one would
  for (let emitted = 0; emitted < 3; emitted += 1) {
    other.print("again");
    await waitUntil("a piece of the other", () => other.pieces.length > emitted);
  }
  assert.equal(pieces.length, 4, "not before its slow time");
  await live.finish();
  assert.deepEqual(shown(pieces).at(-1), [60, "xxxxxxxxxx", 70]);
});

test("[B4] a runner that is behind gets the newest part when it has room, not all that came meanwhile", async () => {
  const { live, pieces, print, block } = watched();
  const { promise, resolve } = Promise.withResolvers<void>();
  block(promise);
  print("first");
  await waitUntil("a piece", () => pieces.length === 1);
  for (let line = 0; line < 50; line += 1) print("line ");
  resolve();
  await waitUntil("the next", () => pieces.length === 2);
  assert.deepEqual(shown(pieces)[1], [245, "line line ", 255]);
  await live.finish();
});
