import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf, flag, integer, json, nullable, oneOf, real, rowsOf, text } from "./rows.ts";

const JOB = rowsOf("jobs", {
  id: text,
  seq: integer,
  at: nullable(real),
  paused: flag,
  mode: oneOf(["auto", "ask"]),
  tags: json<string[]>(),
});
const stored = { id: "j1", seq: 3, at: null, paused: 1, mode: "ask", tags: '["a"]' };

test("a row is read in place, in the order of its columns", () => {
  const row = { ...stored };
  const job = JOB.of(row);
  assert.equal(job, row);
  assert.deepEqual(Object.entries(job), [
    ["id", "j1"],
    ["seq", 3],
    ["at", null],
    ["paused", true],
    ["mode", "ask"],
    ["tags", ["a"]],
  ]);
});

const WRONG: [column: string, value: unknown, message: string][] = [
  ["id", 7, "column id is number, not a text"],
  ["seq", 1.5, "column seq is number, not an integer"],
  ["seq", "secret words", "column seq is string, not an integer"],
  ["seq", null, "column seq is null, not an integer"],
  ["seq", undefined, "column seq is missing, not an integer"],
  ["at", "x", "column at is string, not a number or null"],
  ["paused", 2, "column paused is number, not 0 or 1"],
  ["mode", "never", "column mode is string, not one of auto, ask"],
  ["tags", "{", "column tags is string, not JSON"],
];
for (const [column, value, message] of WRONG) {
  test(`a wrong ${column} (${JSON.stringify(value)}) names table and column, not what is stored`, () => {
    const expected = { message: `A row of jobs cannot be read: ${message}.` };
    assert.throws(() => JOB.of({ ...stored, [column]: value }), expected);
  });
}

test("a row that must be there and is not is an error", async () => {
  const nothing = { get: async () => undefined, all: async () => [] };
  assert.equal(await JOB.get(nothing, "SELECT"), undefined);
  await assert.rejects(JOB.one(nothing, "SELECT"), /column id is missing/);
});

test("rows as arrays are read by their places", async () => {
  const EVENT = cellsOf("events", [integer, text]);
  assert.deepEqual(EVENT.of([1, "body"]), [1, "body"]);
  assert.throws(() => EVENT.of([1, null]), /events cannot be read: column 2 is null, not a text/);
});
