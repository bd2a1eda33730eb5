import assert from "node:assert/strict";
import { test } from "node:test";
import { markedParts } from "./marked-parts.ts";

const shown = (snippet: string, marks: [number, number][]) =>
  markedParts({ snippet, marks }).map(({ text, marked }) => (marked ? `[${text}]` : text));

test("[Q1d] what was looked for is marked, and the rest stays as it is", () => {
  assert.deepEqual(shown("the old oak", [[4, 7]]), ["the ", "[old]", " oak"]);
  assert.deepEqual(shown("oak", [[0, 3]]), ["[oak]"]);
  assert.deepEqual(shown("a\n\tb <b>c</b>", []), ["a b <b>c</b>"]);
  assert.deepEqual(shown("x\u202ey z", [[4, 5]]), ["x\\u{202e}y ", "[z]"]);
});

test("[Q1] marks that fit nothing mark nothing", () => {
  assert.deepEqual(shown("abc", [[2, 9]]), ["abc"]);
  assert.deepEqual(shown("abc", [[2, 1]]), ["abc"]);
  assert.deepEqual(
    shown("abcdef", [
      [1, 4],
      [2, 3],
    ]),
    ["a", "[bcd]", "ef"],
  );
});
