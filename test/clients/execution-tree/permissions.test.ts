// Requests in the execution tree: none is hidden, none is shown that was answered (wire-facts 1.4).
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  NOW,
  type Emitted,
  all,
  answered,
  ask,
  begun,
  feed,
  fold,
  node,
  text,
  turnDone,
  use,
  used,
  plan,
  stepStart,
  stepDone,
} from "../../support/daemon/stream.ts";
import { emptyExecution, toExecutionTree } from "./execution-tree.ts";

test("[W4] a request pauses the call it names, with the time it was asked", () => {
  const tree = fold(use("t1"), use("t2"), use("t3"), ask("r1", "t1"), ask("r3", "t3"));
  const { status, awaitingInput, inputPrompt, permissionRequestId, metadata } = node(tree, "t1");
  assert.deepEqual(
    { status, awaitingInput, inputPrompt, permissionRequestId },
    {
      status: "paused",
      awaitingInput: true,
      inputPrompt: "may I r1",
      permissionRequestId: "r1",
    },
  );
  assert.deepEqual(
    [metadata?.["permissionTool"], metadata?.["permissionRequestedAt"]],
    ["bash", Date.parse(NOW)],
  );
  assert.equal(node(tree, "t2").awaitingInput, undefined);
  assert.equal(node(tree, "t3").permissionRequestId, "r3");
  assert.equal(tree.activeNodeId, "t3");
});

test("[W4] a request that comes before its call waits for it, and is answered there", () => {
  const state = feed(begun(), ask("r1", "t1"));
  assert.deepEqual(Object.keys(state.pendingPermissionsByToolUseId), ["t1"]);
  const tree = toExecutionTree(feed(state, use("t1")));
  assert.equal(node(tree, "t1").permissionRequestId, "r1");
  assert.deepEqual(tree.pendingPermissionsByToolUseId, {});
  const two = toExecutionTree(feed(state, ask("r2", "t1"), use("t1"), answered("r2", true)));
  assert.equal(node(two, "t1").permissionRequestId, "r1");
  const gone = toExecutionTree(feed(state, answered("r1", true), use("t1")));
  assert.equal(node(gone, "t1").awaitingInput, undefined);
});

test("[W4] a request that names no call is shown where the work is, or wherever anything is", () => {
  assert.equal(node(fold(use("t1"), ask("r1")), "t1").permissionRequestId, "r1");
  const ended: Emitted = ["stream.session_ended", { sessionId: "s", timestamp: NOW, reason: "x" }];
  assert.equal(node(fold(ended, ask("r1")), "s").permissionRequestId, "r1");
  const nothing = feed(emptyExecution("s"), ask("r1"));
  assert.equal(nothing.pendingPermissionsByToolUseId["r1"]?.requestId, "r1");
  // The work goes on where it stood.
  const budget = fold(text("a"), ask("r1"), answered("r1", false), text("b"));
  assert.equal(node(budget, "turn-1:thinking:text:1").text, "ab");
  assert.equal(node(budget, "turn-1:thinking:text:1").status, "running");
});

test("[W5] an answer from anywhere takes the request away, and says who gave it", () => {
  const yes = node(fold(use("t1"), ask("r1", "t1"), answered("r1", true, "websocket")), "t1");
  assert.deepEqual(
    [yes.status, yes.awaitingInput, yes.inputPrompt, yes.permissionRequestId],
    ["running", undefined, undefined, undefined],
  );
  assert.deepEqual(
    [yes.metadata?.["resolvedBy"], yes.metadata?.["resolvedApproved"]],
    ["browser", true],
  );
  const no = node(fold(use("t1"), ask("r1", "t1"), answered("r1", false)), "t1");
  assert.deepEqual(
    [no.status, no.metadata?.["resolvedBy"], no.metadata?.["resolvedApproved"]],
    ["cancelled", "cli", false],
  );
  const other = fold(use("t1"), ask("r1", "t1"), answered("somebody's", true));
  assert.equal(node(other, "t1").awaitingInput, true);
});

test("[W5] a call that ends while it waits was answered elsewhere", () => {
  const tree = fold(use("t1"), ask("r1", "t1"), used("t1", true, { error: "denied" }));
  const { status, awaitingInput, permissionRequestId, metadata, error } = node(tree, "t1");
  assert.deepEqual(
    { status, awaitingInput, permissionRequestId, error },
    { status: "failed", awaitingInput: undefined, permissionRequestId: undefined, error: "denied" },
  );
  assert.deepEqual([metadata?.["resolvedBy"], metadata?.["resolvedApproved"]], ["cli", false]);
});

test("[W4] of several requests at one node none is lost: the next is shown when one is answered", () => {
  const delegate = use("t1", { name: "delegate" });
  const state = feed(begun(), delegate, ask("r1", "t1"), ask("r2", "t1"), ask("r3", "t1"));
  assert.equal(node(toExecutionTree(state), "t1").permissionRequestId, "r3");
  const two = feed(state, answered("r3", false), answered("r1", true));
  assert.equal(node(toExecutionTree(two), "t1").permissionRequestId, "r2");
  const none = node(toExecutionTree(feed(two, answered("r2", false))), "t1");
  // Somebody else's request: the call itself goes on, whatever was said.
  assert.deepEqual([none.status, none.awaitingInput], ["running", undefined]);
  const again = node(toExecutionTree(feed(two, ask("r2", "t1"), answered("r2", true))), "t1");
  assert.equal(again.awaitingInput, undefined);
});

test("[W4] a turn that is over waits for nothing", () => {
  const tree = fold(text("a"), ask("r1"), turnDone());
  assert.equal(
    all(tree).some(({ awaitingInput }) => awaitingInput),
    false,
  );
  assert.equal(node(tree, "turn-1:thinking:text:1").status, "completed");
});

test("[W4] a node that ended while it waited stays ended when the answer comes", () => {
  const waiting = feed(begun(), plan(1), stepStart(1), ask("r1"), stepDone(1));
  const step = node(toExecutionTree(waiting), "p:step:1");
  assert.deepEqual([step.status, step.awaitingInput], ["completed", true]);
  const done = node(toExecutionTree(feed(waiting, answered("r1", true))), "p:step:1");
  assert.deepEqual([done.status, done.awaitingInput], ["completed", undefined]);
});

test("[W4] a request that is asked again at another call has moved there", () => {
  const tree = fold(use("t1"), use("t2"), ask("r1", "t1"), ask("r1", "t2"), answered("r1", true));
  assert.deepEqual([node(tree, "t1").status, node(tree, "t2").status], ["running", "running"]);
});
