// The execution tree, one behaviour of the daemon's dashboard per test (wire-facts 1.4): turns, what is
// said in them, and calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  NOW,
  type Emitted,
  all,
  begun,
  childIds,
  feed,
  fold,
  node,
  plan,
  session,
  statuses,
  stepStart,
  text,
  think,
  turn,
  turnDone,
  use,
  used,
} from "../../support/daemon/stream.ts";
import { applyEnvelope, emptyExecution, toExecutionTree } from "./execution-tree.ts";

test("[W3] what was seen before, and other sessions, leave the very same object", () => {
  const state = feed(begun(), text("a"));
  const old = {
    eventId: 3,
    sessionId: "s",
    receivedAt: NOW,
    event: { method: "stream.text", params: { delta: "b" } },
  };
  assert.equal(applyEnvelope(state, old), state);
  assert.equal(applyEnvelope(state, { ...old, eventId: 2 }), state);
  assert.equal(applyEnvelope(state, { ...old, eventId: 9, sessionId: "other" }), state);
  assert.notEqual(applyEnvelope(state, { ...old, eventId: 4 }), state);
});

test("[W3, W2] the watermark moves over what changes nothing: unknown methods, orphans, heartbeats", () => {
  const state = begun();
  const nodes = toExecutionTree(state).rootNodes;
  for (const method of [
    "stream.heartbeat",
    "stream.gate",
    "stream.cancelled",
    "stream.budget_exhausted",
    "stream.swarm_started",
    "constructor",
    "nobody.knows",
  ]) {
    const next = feed(state, [method, { phase: "p", any: 1 }]);
    assert.equal(next.lastEventId, state.lastEventId + 1, method);
    assert.deepEqual(toExecutionTree(next).rootNodes, nodes, method);
  }
  assert.equal(feed(state, used("nobody")).lastEventId, state.lastEventId + 1);
});

test("[W6] an envelope that lacks what its handler needs is dropped, and the watermark stays", () => {
  const state = begun();
  const good: Record<string, Record<string, unknown>> = {
    "permission.request": { requestId: "r", description: "d", tool: "t" },
    "stream.tool_use": { id: "i", name: "n" },
    "stream.tool_completed": { id: "i", name: "n", durationMs: 1 },
    "stream.turn_started": { requestId: "r", turnNumber: 1 },
    "stream.turn_completed": { requestId: "r", turnNumber: 1, durationMs: 1 },
    "stream.session_started": { sessionId: "s", model: "m" },
    "stream.session_ended": { sessionId: "s", timestamp: NOW, reason: "destroyed" },
    "stream.plan_created": { planId: "p", steps: [] },
    "stream.plan_step_started": { planId: "p", stepIndex: 1, stepName: "n" },
    "stream.plan_step_completed": { planId: "p", stepIndex: 1, success: true },
    "stream.subagent.start": { agentType: "a" },
  };
  for (const [method, params] of Object.entries(good)) {
    assert.notEqual(feed(state, [method, params]), state, method);
    for (const name of Object.keys(params)) {
      assert.equal(
        feed(state, [method, { ...params, [name]: undefined }]),
        state,
        `${method} ${name}`,
      );
      assert.equal(
        feed(state, [method, { ...params, [name]: { no: 1 } }]),
        state,
        `${method} ${name}`,
      );
    }
  }
  const whole = { eventId: 9, sessionId: "s", receivedAt: NOW, event: { method: "x", params: {} } };
  assert.notEqual(applyEnvelope(state, whole), state);
  for (const broken of [
    { ...whole, eventId: "9" },
    { ...whole, eventId: Number.NaN },
    { ...whole, sessionId: 1 },
    { ...whole, receivedAt: undefined },
    { ...whole, event: { method: "x", params: [] } },
    { ...whole, event: { method: "x" } },
    { ...whole, event: null },
    null,
    "text",
    [whole],
  ]) {
    assert.equal(applyEnvelope(state, broken), state);
  }
});

test("a session is added once, however often it is told, and ends with its reason", () => {
  const tree = toExecutionTree(
    feed(emptyExecution("s"), session, session, [
      "stream.session_ended",
      { sessionId: "s", timestamp: NOW, reason: "destroyed" },
    ]),
  );
  assert.equal(tree.rootNodes.length, 1);
  const [root] = tree.rootNodes;
  assert.deepEqual(
    { type: root?.type, label: root?.label, status: root?.status, end: root?.endTime },
    { type: "session", label: "session (m)", status: "completed", end: Date.parse(NOW) },
  );
  assert.equal(root?.metadata?.["endReason"], "destroyed");
  assert.equal(tree.activeNodeId, null);
});

test("a turn has its request's id and stands below a running step, else the session, else at the root", () => {
  assert.deepEqual(childIds(fold(), "s"), ["turn-1"]);
  const orphan = toExecutionTree(feed(emptyExecution("s"), turn()));
  assert.equal(orphan.rootNodes[0]?.id, "turn-1");
  const inStep = fold(plan(2), stepStart(1), turn("turn-2", 2));
  assert.deepEqual(childIds(inStep, "p:step:1"), ["turn-2"]);
  assert.equal(inStep.stats.totalTurns, 2);
  assert.equal(node(inStep, "turn-2").label, "turn 2");
});

test("a call hangs on what was said before it, else on the thought, else on one that is made up", () => {
  const said = fold(think("hm"), text("I will"), use("t1"));
  assert.deepEqual(childIds(said, "turn-1:thinking"), ["turn-1:thinking:text:1"]);
  assert.deepEqual(childIds(said, "turn-1:thinking:text:1"), ["t1"]);
  assert.deepEqual(childIds(fold(think("hm"), use("t1")), "turn-1:thinking"), ["t1"]);
  const bare = fold(use("t1"));
  assert.deepEqual(childIds(bare, "turn-1"), ["turn-1:thinking"]);
  assert.equal(node(bare, "turn-1:thinking").status, "completed");
  assert.equal(node(bare, "turn-1:thinking").text, "");
  assert.deepEqual(childIds(bare, "turn-1:thinking"), ["t1"]);
  const label = node(fold(use("t1", { summary: "ls" })), "t1");
  assert.equal(label.label, "bash — ls");
  assert.deepEqual(label.metadata, { tool: "bash", summary: "ls" });
  assert.equal(node(bare, "t1").label, "bash");
});

test("a call without any turn is shown at the root", () => {
  const tree = toExecutionTree(feed(emptyExecution("s"), use("t1"), used("t1")));
  assert.deepEqual(
    tree.rootNodes.map(({ id, status }) => [id, status]),
    [["t1", "completed"]],
  );
});

test("each model call without thoughts gets a thought of its own, numbered by the turn", () => {
  const tree = fold(use("t1"), used("t1"), use("t2"), used("t2"), text("done"));
  assert.deepEqual(childIds(tree, "turn-1"), [
    "turn-1:thinking",
    "turn-1:thinking:1",
    "turn-1:thinking:2",
  ]);
  assert.deepEqual(childIds(tree, "turn-1:thinking:2"), ["turn-1:thinking:2:text:1"]);
});

test("text goes on until a call; what is said after it is a node of its own", () => {
  const tree = fold(text("a"), text("b"), use("t1"), used("t1"), text("c"), think("x"), text("d"));
  const texts = all(tree).filter(({ type }) => type === "text");
  assert.deepEqual(
    texts.map(({ id, text: said, label }) => [id, said, label]),
    [
      ["turn-1:thinking:text:1", "ab", "ab"],
      ["turn-1:thinking:1:text:2", "c", "c"],
      ["turn-1:thinking:2:text:3", "d", "d"],
    ],
  );
  const long = node(
    fold(text("  \n one two three "), text("four five six seven")),
    "turn-1:thinking:text:1",
  );
  assert.equal(long.label, "one two three four fi…");
});

test("talking ends the thought, a call ends both", () => {
  const talking = fold(think("hm"), text("so"));
  assert.equal(node(talking, "turn-1:thinking").status, "completed");
  assert.equal(node(talking, "turn-1:thinking:text:1").status, "running");
  assert.deepEqual([talking.thinkingSealed, talking.textIsOpen], [true, true]);
  const calling = fold(think("hm"), text("so"), use("t1"));
  assert.equal(node(calling, "turn-1:thinking:text:1").status, "completed");
  assert.deepEqual([calling.thinkingSealed, calling.textIsOpen], [true, false]);
  assert.equal(calling.currentTextId, "turn-1:thinking:text:1"); // calls side by side share it
});

test("thoughts are one node until they are sealed; calls go on until they are said to have ended", () => {
  const one = fold(think("a"), think("b"));
  assert.equal(node(one, "turn-1:thinking").text, "ab");
  const state = feed(begun(), think("a"), text("t"), use("t1"), think("b"));
  const tree = toExecutionTree(state);
  assert.equal(node(tree, "t1").status, "running");
  assert.equal(node(tree, "turn-1:thinking:1").status, "running");
  assert.equal(tree.stats.completedTools, 0); // its own end has yet to come
  const after = toExecutionTree(feed(state, used("t1", true)));
  assert.equal(node(after, "t1").status, "failed");
  assert.deepEqual([after.stats.completedTools, after.stats.failedTools], [0, 1]);
});

test("parallel: also when the model speaks or thinks between two calls, and without any turn", () => {
  for (const between of [text("and"), think("hm")]) {
    const tree = fold(use("t1"), between, use("t2"));
    for (const id of ["turn-1", "t1", "t2"]) assert.equal(node(tree, id).parallel, true, id);
    assert.equal(node(tree, "t1").status, "running");
    const later = fold(use("t1"), used("t1"), between, use("t2"));
    assert.equal(node(later, "t2").parallel, undefined);
  }
  for (const before of [emptyExecution("s"), feed(emptyExecution("s"), session)]) {
    const tree = toExecutionTree(feed(before, use("t1"), use("t2"), used("t1"), used("t2")));
    for (const id of ["t1", "t2"]) assert.equal(node(tree, id).parallel, true, id);
    const alone = toExecutionTree(feed(before, use("t1"), used("t1"), use("t2")));
    assert.equal(node(alone, "t2").parallel, undefined);
  }
});

test("a call whose end is all that is told of it is shown as ended", () => {
  const tree = fold(use("t1"), used("t2", true, { error: "There is no such tool." }));
  const { status, error, parallel } = node(tree, "t2");
  assert.deepEqual([status, error, parallel], ["failed", "There is no such tool.", undefined]);
  assert.deepEqual([tree.stats.totalTools, tree.stats.failedTools], [2, 1]);
  assert.equal(node(tree, "t1").parallel, undefined);
});

test("parallel: the turn and both calls, for good, when one comes while another runs", () => {
  const state = feed(begun(), use("t1"), use("t2"));
  for (const tree of [state, feed(state, used("t1"), used("t2"), turnDone())].map(
    toExecutionTree,
  )) {
    assert.deepEqual(childIds(tree, "turn-1:thinking"), ["t1", "t2"]);
    for (const id of ["turn-1", "t1", "t2"]) assert.equal(node(tree, id).parallel, true, id);
  }
  const three = fold(use("t1"), use("t2"), used("t2"), use("t3"));
  assert.equal(node(three, "t3").parallel, true);
  const inTurn = fold(use("t1"), used("t1"), use("t2"));
  for (const id of ["turn-1", "t1", "t2"]) assert.equal(node(inTurn, id).parallel, undefined, id);
});

test("the end of a turn ends what was thought and said, keeps calls, and says why it stopped", () => {
  const tree = fold(
    use("t1"),
    think("x"),
    text("y"),
    turnDone("turn-1", { stopReason: "MAX_TOKENS" }),
  );
  const { status, duration, endTime, metadata } = node(tree, "turn-1");
  assert.deepEqual(
    { status, duration, endTime },
    { status: "completed", duration: 25, endTime: Date.parse(NOW) },
  );
  assert.equal(metadata?.["stopReason"], "MAX_TOKENS");
  assert.deepEqual(statuses(tree, "turn-1"), ["completed", "completed"]);
  assert.equal(node(tree, "turn-1:thinking:1:text:1").status, "completed");
  assert.equal(tree.activeNodeId, "turn-1:thinking:1:text:1"); // what was last read stays in view
});

test("subagents are numbered, and of one kind the last that began ends first", () => {
  const start: Emitted = ["stream.subagent.start", { agentType: "scout", prompt: "go" }];
  const end: Emitted = ["stream.subagent.end", { agentType: "scout" }];
  const state = feed(
    begun(),
    start,
    ["stream.subagent.start", { agentType: "other", prompt: "" }],
    start,
  );
  const tree = toExecutionTree(state);
  assert.deepEqual(childIds(tree, "turn-1"), [
    "subagent:scout:1",
    "subagent:other:2",
    "subagent:scout:3",
  ]);
  assert.deepEqual(node(tree, "subagent:scout:1").metadata, { agentType: "scout", prompt: "go" });
  assert.deepEqual(statuses(toExecutionTree(feed(state, end)), "turn-1"), [
    "running",
    "running",
    "completed",
  ]);
  assert.deepEqual(statuses(toExecutionTree(feed(state, end, end, end)), "turn-1"), [
    "completed",
    "running",
    "completed",
  ]);
  // One whose end never came does not outlive its turn, nor stand in for a later one.
  const next = toExecutionTree(feed(state, turnDone(), turn("turn-2", 2), start, end));
  assert.deepEqual(statuses(next, "turn-1"), ["cancelled", "cancelled", "cancelled"]);
  assert.deepEqual(statuses(next, "turn-2"), ["completed"]);
});

test("usage mirrors the newest totals; a compaction is noted at its turn", () => {
  const usage = (totalInputTokens: number): Emitted => [
    "stream.usage",
    { inputTokens: 1, totalInputTokens, totalOutputTokens: 2 },
  ];
  const compaction: Emitted = [
    "stream.compaction",
    { originalTokens: 9, compactedTokens: 3, phase: "completed" },
  ];
  const tree = fold(usage(5), usage(7), text("a"), compaction, compaction);
  assert.deepEqual([tree.stats.inputTokens, tree.stats.outputTokens], [7, 2]);
  const noted = { originalTokens: 9, compactedTokens: 3, phase: "completed" };
  assert.deepEqual(node(tree, "turn-1").metadata?.["compactions"], [noted, noted]);
});

test("[W1] an error cuts what was being said; what is said next is not its rest", () => {
  const error: Emitted = ["stream.error", { error: "lost" }];
  const tree = fold(text("Hello wor"), error, text("Hello world"));
  const [cut, whole] = all(tree).filter(({ type }) => type === "text");
  assert.deepEqual([cut?.text, cut?.status, cut?.error], ["Hello wor", "failed", "lost"]);
  assert.deepEqual([whole?.text, whole?.status], ["Hello world", "running"]);
  const calling = fold(think("hm"), error, use("t1"));
  assert.deepEqual(childIds(calling, "turn-1"), ["turn-1:thinking", "turn-1:thinking:1"]);
  const silent = node(fold(error, turnDone("turn-1", { stopReason: "ERROR" })), "turn-1");
  assert.equal(silent.error, "lost");
  assert.equal(node(fold(error, turnDone()), "turn-1").error, undefined);
});

test("[W1] each model call is an iteration of its own, also without calls in between", () => {
  const tree = fold(
    text("one"),
    ["stream.heartbeat", { phase: "model_call" }],
    text("two"),
    use("t1"),
    used("t1"),
    ["stream.heartbeat", { phase: "model_call" }],
    use("t2"),
  );
  const said = all(tree).filter(({ type }) => type === "text");
  assert.deepEqual(
    said.map(({ text: words, status }) => [words, status]),
    [
      ["one", "completed"],
      ["two", "completed"],
    ],
  );
  assert.deepEqual(childIds(tree, "turn-1:thinking:2"), ["t2"]);
  assert.deepEqual(
    childIds(
      fold(text("a"), ["stream.heartbeat", { phase: "running" }], text("b")),
      "turn-1:thinking",
    ).length,
    1,
  );
});

test("stats count every call and turn", () => {
  const tree = fold(
    use("a"),
    used("a"),
    use("b"),
    used("b", true),
    use("c"),
    turnDone(),
    turn("turn-2", 2),
  );
  assert.deepEqual(tree.stats, {
    totalTools: 3,
    completedTools: 1,
    failedTools: 1,
    totalTurns: 2,
    inputTokens: 0,
    outputTokens: 0,
  });
});
