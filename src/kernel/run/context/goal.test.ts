import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDecision } from "./goal.ts";

test("[C10b, B3] a judgement is read exactly, or the goal waits for a person", () => {
  assert.deepEqual(parseDecision('{"decision":"continue","reason":"r","next":"n"}'), {
    decision: "continue",
    reason: "r",
    next: "n",
  });
  assert.deepEqual(parseDecision('Sure:\n```json\n{"decision":"met","reason":"r"}\n```'), {
    decision: "met",
    reason: "r",
    next: null,
  });
  for (const text of ["", "met", '{"decision":"yes","reason":""}', '{"decision":"met"', "[1]"]) {
    assert.equal(parseDecision(text).decision, "blocked", text);
  }
  fc.assert(fc.property(fc.string(), (text) => ["blocked"].includes(parseDecision(text).decision)));
});
