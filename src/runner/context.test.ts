import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../test/support/drafts.ts";
import { seal, type AnyDraft } from "../../test/support/events.ts";
import { applyEvent, emptyRun } from "../protocol/run-state.ts";
import { messagesOf } from "./context.ts";

const conversation = (drafts: readonly AnyDraft[]) =>
  messagesOf(seal("r1", drafts).reduce(applyEvent, emptyRun("r1"))).map(({ role, text }) =>
    role === "tool" ? "tool" : `${role}: ${text}`,
  );

const begun = [d.userMessage("hello"), d.queued, d.started()];

test("[R2] no model is told that it said what was superseded", () => {
  const drafts = [
    ...begun,
    d.turnStarted(1),
    d.token("m1.1", "half an ans"),
    d.superseded(1),
    d.turnStarted(1, 2),
    d.said("m1.2", "a whole answer", "t1.2"),
    d.turnCompleted(1, 2),
  ];
  assert.deepEqual(conversation(drafts), ["user: hello", "assistant: a whole answer"]);
});

test("[C3] a steer is read after the turn it was said in, however early in it that was", () => {
  const turn = [d.said("m1.1", "first"), d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1")];
  const steer = d.userMessage("hurry", "steer");
  const expected = ["user: hello", "assistant: first", "tool", "user: hurry"];
  for (let at = 0; at <= turn.length; at++) {
    const drafts = [...begun, d.turnStarted(1), ...turn.toSpliced(at, 0, steer)];
    assert.deepEqual(conversation(drafts), expected, `said after ${at} events of the turn`);
  }
});

test("[C3] what is said between turns comes before the next one", () => {
  const drafts = [
    ...begun,
    d.turnStarted(1),
    d.said("m1.1", "first"),
    d.turnCompleted(1),
    d.userMessage("more", "steer"),
    d.turnStarted(2),
    d.said("m2.1", "second", "t2.1"),
  ];
  const expected = ["user: hello", "assistant: first", "user: more", "assistant: second"];
  assert.deepEqual(conversation(drafts), expected);
});

test("[C8] an edited message is read as it is now, one that was taken back by nobody", () => {
  const changed = [...begun, d.edited("m_start", "good morning")];
  assert.deepEqual(conversation(changed), ["user: good morning"]);
  const steered = [...begun, d.turnStarted(1), d.userMessage("hurry", "steer")];
  const drafts = [...steered, d.edited("m_steer", null), d.said("m1.1", "first")];
  assert.deepEqual(conversation(drafts), ["user: hello", "assistant: first"]);
});

test("[R10] after a compression only the first message and the kept turns are told word by word", () => {
  const turn = (index: number) => [
    d.turnStarted(index),
    d.said(`m${index}.1`, `answer ${index}`, `t${index}.1`),
    d.turnCompleted(index),
  ];
  const drafts = [
    ...begun,
    ...turn(1),
    d.userMessage("old words", "steer"),
    ...turn(2),
    d.compacted("what was", 2),
    d.userMessage("new words", "steer"),
    ...turn(3),
  ];
  assert.deepEqual(conversation(drafts), [
    "user: hello",
    "assistant: answer 2",
    "user: new words",
    "assistant: answer 3",
  ]);
});

test("[R10, C3] what was said while a summary was being made is told word by word", () => {
  const began = {
    ...d.compacted("", 1),
    payload: { ...d.compacted("", 1).payload, phase: "started" },
  };
  const drafts = [
    ...begun,
    began as AnyDraft, // before the first turn: nothing of a turn marks the place
    d.userMessage("meanwhile", "steer"),
    d.compacted("what was", 1),
    d.turnStarted(1),
  ];
  assert.deepEqual(conversation(drafts), ["user: hello", "user: meanwhile"]);
});

test("[C8] a run whose message was taken back is not told, and its end neither", () => {
  const back = [d.userMessage("hello"), d.queued, d.edited("m_start", null)];
  assert.deepEqual(conversation([...back, d.done(4, "cancelled")]), []);
});

test("[C13] a call that was open where a branch begins is told as unfinished", () => {
  const drafts = [
    ...begun,
    d.turnStarted(1),
    d.said("m1.1", ""),
    d.intent("c1"),
    d.toolStarted("c1"),
  ];
  const run = seal("r1", drafts).reduce(applyEvent, emptyRun("r1"));
  assert.match(messagesOf(run).at(-1)?.text ?? "", /had not ended here/);
});

test("[C11, C3] what is said to a command's run is told after what the command did", () => {
  const direct = [...begun, d.intent("direct.c0", "direct"), d.toolStarted("direct.c0")];
  const said = [...direct, d.userMessage("and then?", "steer"), d.toolDone("direct.c0")];
  const expected = ["user: [The user did this: Run ls. Result: completed]", "user: and then?"];
  assert.deepEqual(conversation(said), expected);
  const turn = [d.turnStarted(1), d.said("m1.1", "This.")];
  assert.deepEqual(conversation([...said, ...turn]), [...expected, "assistant: This."]);
});

test("[C11] a person's command is told as what it did, a compression not at all", () => {
  const direct = [...begun, d.intent("direct.c0", "direct"), d.toolStarted("direct.c0")];
  const [told] = conversation([...direct, d.toolDone("direct.c0")]);
  assert.match(told ?? "", /^user: \[The user did this: Run ls\. Result: completed\]$/);
});
