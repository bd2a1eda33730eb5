import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../kernel/state/run/items.ts";
import { emptyRun, type RunState } from "../../kernel/state/run/state.ts";
import { vectorOf } from "../../kernel/state/vector.ts";
import { countOf, isPossible, stepOf, unblocked } from "./use-rollback.ts";

const conflict = { path: "b", reason: "changed_since" };
const found = { restored: ["a"], removed: ["c"], conflicts: [], truncated: false };

function run(status: RunState["status"], call: Record<string, unknown>): RunState {
  const tool = { kind: "tool", turnId: "direct", status: "completed", error: null, ...call };
  return { ...emptyRun("r"), status, items: vectorOf([tool as unknown as Item]) };
}

test("[UX] a rollback can be carried out only after a preview without conflicts that found something", () => {
  const preview = (result: unknown) => stepOf(run("completed", { result }));
  assert.equal(isPossible(preview(found)), true);
  assert.equal(countOf(preview(found)), 2);
  assert.equal(isPossible(preview({ ...found, conflicts: [conflict] })), false);
  assert.equal(isPossible(preview({ ...found, restored: [], removed: [] })), false);
  assert.equal(isPossible(stepOf(undefined)), false);
  assert.equal(isPossible(stepOf(run("running", { status: "running", result: null }))), false);
});

test("[UX] a refusal keeps its reason, and a run that was stopped is not taken for an answer", () => {
  const refused = { status: "failed", result: { ...found, conflicts: [conflict] } };
  const step = stepOf(
    run("completed", { ...refused, error: { code: "conflict", message: "No." } }),
  );
  assert.equal(step.state === "answered" && step.refused, "No.");
  const stopped = stepOf(run("cancelled", { status: "cancelled", result: found }));
  assert.equal(stopped.state, "failed");
});

test("[UX] with a conflict, what is not in the way can be taken alone", () => {
  const blocked = stepOf(run("completed", { result: { ...found, conflicts: [conflict] } }));
  assert.deepEqual(unblocked(["a", "b"], blocked), ["a"]);
  assert.deepEqual(unblocked(["a", "b"], stepOf(run("completed", { result: found }))), []);
});
