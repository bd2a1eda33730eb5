// Plans in the execution tree, one behaviour of the daemon's dashboard per test (wire-facts 1.4).
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Emitted,
  all,
  ask,
  begun,
  childIds,
  feed,
  fold,
  node,
  plan,
  replan,
  statuses,
  stepDone,
  stepStart,
  text,
  think,
  turn,
  turnDone,
  use,
  used,
} from "../../support/daemon/stream.ts";
import { toExecutionTree } from "./execution-tree.ts";

test("a turn after one that was stopped within a step does not grow into the old plan", () => {
  const tree = fold(
    plan(2),
    stepStart(1),
    use("t", { parentStepId: "p:step:1" }),
    turnDone(),
    turn("turn-2", 2),
  );
  assert.deepEqual(childIds(tree, "s"), ["turn-1", "turn-2"]);
});

test("a plan shows all its steps at once, below the turn", () => {
  const tree = fold(use("t1"), plan(3));
  assert.deepEqual(childIds(tree, "p"), ["p:step:1", "p:step:2", "p:step:3"]);
  assert.deepEqual(statuses(tree, "p"), ["pending", "pending", "pending"]);
  assert.ok(childIds(tree, "turn-1").includes("p"));
  assert.equal(node(tree, "p").label, "plan: g");
  assert.deepEqual(node(tree, "p:step:2").metadata, { stepIndex: 2, description: "d" });
  const odd: Emitted = [
    "stream.plan_created",
    { planId: "p", steps: [{ index: 1, name: "a" }, 7, { index: "2" }] },
  ];
  assert.deepEqual(childIds(fold(odd), "p"), ["p:step:1"]);
});

test("steps run one after the other; what is said meanwhile belongs to them", () => {
  const first = fold(plan(2), stepStart(1, "Look"), think("a"), use("t1"), used("t1"), stepDone(1));
  assert.equal(node(first, "p:step:1").label, "Look");
  assert.deepEqual(
    [node(first, "p:step:1").status, node(first, "p:step:1").duration],
    ["completed", 10],
  );
  assert.deepEqual(childIds(first, "p:step:1"), ["p:step:1:thinking"]);
  assert.equal(first.activeNodeId, "p:step:2");
  const both = fold(
    plan(2),
    stepStart(1),
    stepDone(1),
    stepStart(2),
    text("x"),
    stepDone(2, false),
  );
  assert.deepEqual(statuses(both, "p"), ["completed", "failed"]);
  assert.deepEqual(childIds(both, "p:step:2"), ["p:step:2:thinking"]);
  assert.equal(both.activeNodeId, "p");
});

test("a step that nobody announced is added; without its plan nothing is", () => {
  assert.deepEqual(childIds(fold(plan(1), stepStart(2)), "p"), ["p:step:1", "p:step:2"]);
  const none = fold(stepStart(1), stepDone(1));
  assert.deepEqual(childIds(none, "turn-1"), []);
});

test("a replan drops what is not completed, is a node, and is noted at the plan", () => {
  const tree = fold(plan(3), stepStart(1), stepDone(1), stepStart(2), replan(1));
  assert.deepEqual(statuses(tree, "p"), ["completed", "cancelled", "cancelled", "completed"]);
  const marker = node(tree, "p::replan-1");
  assert.deepEqual([marker.type, marker.label], ["replan", "Replan #1"]);
  assert.deepEqual(marker.metadata, {
    rationale: "why",
    replanAttempt: 1,
    cancelledStepCount: 2,
    newStepCount: 2,
  });
  assert.equal(node(tree, "p").metadata?.["replanRationale"], "why");
  const twice = fold(plan(3), replan(1), stepStart(1, "new"), replan(2));
  assert.equal(node(twice, "p::replan-2").metadata?.["cancelledStepCount"], 1);
});

test("an index that is used again after a replan is a new step, and the old one keeps its history", () => {
  const tree = fold(
    plan(2),
    stepStart(1),
    stepDone(1),
    replan(1),
    stepStart(2, "again"),
    use("t1", { parentStepId: "p:step:2" }),
    stepDone(2),
  );
  assert.deepEqual(childIds(tree, "p"), ["p:step:1", "p:step:2", "p::replan-1", "p:step:2:r1"]);
  assert.deepEqual(statuses(tree, "p"), ["completed", "cancelled", "completed", "completed"]);
  assert.equal(node(tree, "p:step:2:r1").metadata?.["createdByReplan"], true);
  assert.deepEqual(childIds(tree, "p:step:2:r1"), ["p:step:2:r1:thinking"]);
  const completed = fold(plan(1), stepStart(1), stepDone(1), stepStart(1), text("x", "p:step:1"));
  assert.deepEqual(childIds(completed, "p"), ["p:step:1", "p:step:1:r1"]);
  assert.deepEqual(childIds(completed, "p:step:1:r1"), ["p:step:1:r1:thinking"]);
});

test("a fallback is noted at its step", () => {
  const fallback: Emitted = [
    "stream.plan_step_fallback",
    { sessionId: "s", planId: "p", stepId: "x", stepIndex: 1, fallbackApproach: "row", attempt: 2 },
  ];
  const tree = fold(plan(1), stepStart(1), fallback);
  assert.deepEqual(node(tree, "p:step:1").metadata?.["fallback"], { approach: "row", attempt: 2 });
});

test("the end of a step or plan ends all that runs in it, and every call is counted once", () => {
  const state = feed(begun(), plan(2), stepStart(1), think("x"), use("t1"), use("t2"), used("t2"));
  const good = toExecutionTree(feed(state, stepDone(1), used("t1"), turnDone()));
  assert.deepEqual(
    [node(good, "t1").status, good.stats.completedTools, good.stats.failedTools],
    ["completed", 2, 0],
  );
  const bad = toExecutionTree(feed(state, stepDone(1, false)));
  assert.equal(node(bad, "t1").status, "cancelled");
  assert.equal(node(bad, "t2").status, "completed");
  assert.deepEqual([bad.stats.completedTools, bad.stats.failedTools], [1, 1]);
  // What the call says itself corrects what was guessed, and is not counted on top of it.
  const late = toExecutionTree(feed(state, stepDone(1, false), used("t1"), used("t1")));
  assert.deepEqual([late.stats.completedTools, late.stats.failedTools], [2, 0]);
  const planDone: Emitted = [
    "stream.plan_completed",
    { planId: "p", success: true, totalDurationMs: 5, stepsCompleted: 1, totalSteps: 2 },
  ];
  const ended = toExecutionTree(feed(state, planDone));
  assert.deepEqual(
    [node(ended, "p").status, node(ended, "p:step:1").status, node(ended, "t1").status],
    ["completed", "completed", "completed"],
  );
  assert.deepEqual(
    [node(ended, "p").duration, node(ended, "p").metadata?.["stepsCompleted"]],
    [5, 1],
  );
  assert.deepEqual([ended.stats.totalTools, ended.stats.completedTools], [2, 2]);
});

test("an escalated plan has failed, with its reason, and drops what runs in it", () => {
  const tree = fold(plan(1), stepStart(1), use("t1"), [
    "stream.plan_escalated",
    { planId: "p", reason: "stuck" },
  ]);
  assert.deepEqual([node(tree, "p").status, node(tree, "p").error], ["failed", "stuck"]);
  assert.deepEqual(
    [node(tree, "p:step:1").status, node(tree, "t1").status],
    ["cancelled", "cancelled"],
  );
  assert.deepEqual([tree.stats.failedTools, tree.stats.completedTools], [1, 0]);
});

test("[W4] what waits for a person goes on waiting when its step or plan is over", () => {
  const tree = fold(plan(1), stepStart(1), use("t1"), ask("r1", "t1"), stepDone(1), [
    "stream.plan_escalated",
    { planId: "p", reason: "" },
  ]);
  assert.deepEqual([node(tree, "t1").status, node(tree, "t1").awaitingInput], ["paused", true]);
});

test("what comes late for an old step goes to that step and disturbs nothing that runs", () => {
  const state = feed(
    begun(),
    plan(2),
    stepStart(1),
    text("a"),
    stepDone(1),
    stepStart(2),
    text("b"),
  );
  const before = toExecutionTree(state);
  const late = feed(
    state,
    text("x", "p:step:1"),
    think("y", "p:step:1"),
    text("z", "p:step:1"),
    use("t9", { parentStepId: "p:step:1" }),
  );
  const tree = toExecutionTree(late);
  assert.equal(node(tree, "p:step:1:late:text").text, "xz");
  assert.equal(node(tree, "p:step:1:late:thinking").text, "y");
  assert.deepEqual(childIds(tree, "p:step:1"), [
    "p:step:1:thinking",
    "p:step:1:late:text",
    "p:step:1:late:thinking",
    "t9",
  ]);
  for (const key of [
    "activeNodeId",
    "currentTextId",
    "currentThinkingId",
    "textIsOpen",
    "thinkingSealed",
  ] as const) {
    assert.equal(tree[key], before[key], key);
  }
  assert.deepEqual(node(tree, "p:step:2"), node(before, "p:step:2"));
  assert.equal(tree.stats.totalTools, 1);
  const done = toExecutionTree(feed(late, used("t9"), text("c")));
  assert.equal(done.activeNodeId, before.activeNodeId);
  const called = toExecutionTree(feed(late, used("t9"), use("t10")));
  assert.ok(called.activeNodeId === "t10" && childIds(called, "p:step:2:thinking").length === 1);
  assert.equal(toExecutionTree(feed(late, used("t9"))).activeNodeId, before.activeNodeId);
  assert.equal(done.stats.completedTools, 1);
  assert.match(
    all(done)
      .map((each) => each.text ?? "")
      .join(" "),
    /\bbc\b/,
  );
});

test("a step that a replan dropped is not meant: what names it goes to what runs", () => {
  const tree = fold(plan(2), stepStart(1), replan(1), text("x", "p:step:1"));
  assert.deepEqual(childIds(tree, "p:step:1"), []);
  assert.equal(node(tree, "turn-1:thinking:text:1").text, "x");
});
