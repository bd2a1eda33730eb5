// The folds of a run, by example. What must hold for every journal is in run-state.property.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, type AnyDraft } from "../../../../test/support/events.ts";
import type { RunEvent } from "../../events/events.ts";
import type { Item } from "./items.ts";
import { applyEvent, emptyRun, findTool, toSnapshot, type RunState } from "./state.ts";
import { get, type Vector } from "../vector.ts";

const begin = [d.userMessage("hello"), d.queued, d.started(), d.turnStarted(1)];
const fold = (drafts: readonly AnyDraft[], from: RunState = emptyRun("r1")) =>
  seal("r1", drafts).reduce(applyEvent, from);
const items = (state: RunState) => toSnapshot(state).items;

test("[F1] text, reasoning and calls end up in the order they began", () => {
  const run = fold([
    ...begin,
    d.thought("q1", "Hm"),
    d.token("m1", "Hel"),
    d.thought("q1", "m."),
    d.token("m1", "lo"),
    d.thoughtDone("q1", "Hmm."),
    d.said("m1", "Hello"),
    d.intent("c1"),
    d.toolStarted("c1"),
  ]);

  assert.deepEqual(
    items(run).map((item) => [item.kind, "text" in item ? item.text : item.status]),
    [
      ["user", "hello"],
      ["reasoning", "Hmm."],
      ["text", "Hello"],
      ["tool", "running"],
    ],
  );
  assert.equal(run.result, "Hello");
  assert.equal(run.status, "running");
});

test("[F3] a finished call keeps its first result", () => {
  const call = [d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1"), d.toolDone("c1", "failed")];
  const run = fold([...begin, ...call, d.printed("c1", "late"), d.toolStarted("c1", 2)]);

  const tool = items(run).at(-1);
  assert.ok(tool?.kind === "tool");
  assert.equal(tool.status, "completed");
  assert.equal(tool.output?.head, "completed");
  assert.equal(tool.live, "");
  assert.equal(findTool(run, "c1"), undefined, "it is no longer open");
});

test("[F3] the first answer to a question stays, and who gave it", () => {
  const asked = [d.intent("c1"), d.approvalAsked("c1"), d.approvalGiven("c1", "deny")];
  const run = fold([...begin, ...asked, d.approvalGiven("c1", "session")]);

  const tool = items(run).at(-1);
  assert.ok(tool?.kind === "tool");
  assert.deepEqual(
    [tool.request?.answer?.choice, tool.request?.answer?.by, run.pending],
    ["deny", "person", {}],
  );
});

test("[F3] a completed message does not change any more", () => {
  const before = fold([...begin, d.token("m1", "a"), d.said("m1", "ab")]);
  const settled = get(before.items, 1);
  const drafts = [...begin, d.token("m1", "a"), d.said("m1", "ab")];
  const after = fold([...drafts, d.token("m1", "late"), d.superseded(9)]);

  assert.deepEqual(get(after.items, 1), settled);
});

test("[F1] a cut turn's text stays, marked, and counts for nothing", () => {
  const run = fold([
    ...begin,
    d.token("m1", "Once upon"),
    d.recovery(1),
    d.superseded(1),
    d.turnStarted(1, 2),
    d.token("m2", "Again"),
    d.said("m2", "Again", "t1.2"),
  ]);

  const texts = items(run).filter((item) => item.kind === "text");
  assert.deepEqual(
    texts.map(({ text, superseded, status }) => ({ text, superseded, status })),
    [
      { text: "Once upon", superseded: true, status: "done" },
      { text: "Again", superseded: false, status: "done" },
    ],
  );
  assert.equal(run.result, "Again");
  assert.equal(run.recoveries, 1);
});

test("[F1] a request waits in `pending` until it is answered or the run ends", () => {
  const waiting = fold([
    ...begin,
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.clarifyAsked("cl", null),
  ]);
  assert.deepEqual(Object.keys(waiting.pending), ["ap_c1", "cl"]);

  const drafts = [...begin, d.intent("c1"), d.approvalAsked("c1"), d.clarifyAsked("cl", null)];
  const ended = fold([...drafts, d.done(8, "cancelled")]);
  assert.deepEqual(ended.pending, {});
  assert.equal(ended.status, "cancelled");
});

test("[F1] usage adds up over turns; what no provider said stays unknown", () => {
  const run = fold([...begin, d.used(1, 5), d.used(2, null), d.used(3, 7)]);
  assert.equal(run.usage.total_tokens, 12);
  assert.equal(run.usage.cost_usd, null);
});

test("[E8] a type from the future moves the cursor and nothing else", () => {
  const before = fold(begin);
  const future = seal("r1", [...begin, { type: "moon.phase", payload: { phase: "full" } }]).at(-1);
  assert.ok(future);

  const after = applyEvent(before, future);

  const activeSeconds = before.activeSeconds + 1; // time passes with any event
  assert.deepEqual(after, { ...before, seq: 5, updatedAt: future.created_at, activeSeconds });
});

test("[E8] a type named like a property of every object is only unknown", () => {
  for (const type of ["constructor", "__proto__", "toString", "x.custom"]) {
    assert.equal(fold([...begin, { type, payload: {} }]).seq, 5);
  }
});

test("[E8] fields from the future are ignored", () => {
  const events = seal("r1", begin);
  const extended = events.map((event) => ({
    ...event,
    shiny: 1,
    payload: { ...event.payload, new: 2 },
  }));
  assert.deepEqual(
    toSnapshot((extended as RunEvent[]).reduce(applyEvent, emptyRun("r1"))),
    toSnapshot(events.reduce(applyEvent, emptyRun("r1"))),
  );
});

test("[F4] a hole in the numbers is an error, never skipped", () => {
  const [first, , third] = seal("r1", begin);
  assert.ok(first && third);
  const run = applyEvent(emptyRun("r1"), first);
  assert.throws(() => applyEvent(run, third), /gap in r1 after seq 1/);
});

test("[F6] a fold asks for no time and no chance", (t) => {
  const events = seal("r1", [...begin, d.token("m1", "a"), d.said("m1", "a"), d.done(7)]);
  const refuse = () => assert.fail("a fold looked at the world");
  t.mock.method(Date, "now", refuse);
  t.mock.method(Math, "random", refuse);
  assert.equal(events.reduce(applyEvent, emptyRun("r1")).status, "completed");
});

test("[R16, F1] a run knows the past it was started with; an empty one is none", () => {
  const emitted = (history?: object) => {
    const queued = { ...d.queued, payload: { ...d.queued.payload, ...history } };
    const events = seal("r1", [d.userMessage("hello"), queued]);
    return events.reduce(applyEvent, emptyRun("r1")).history;
  };
  const history = [{ role: "user", text: "before" }];
  assert.deepEqual(emitted({ history }), history);
  assert.equal(emitted({ history: [] }), null);
  assert.equal(emitted(), null);
});

// Counted, not timed: a machine's mood is no reason to fail.
test("[F5] an event late in a long run copies no more than an early one", () => {
  const turn = (index: number) => [
    d.turnStarted(index),
    d.token(`m${index}`, "a"),
    d.said(`m${index}`, "ab"),
    d.turnCompleted(index),
  ];
  const events = seal("r1", Array.from({ length: 3_000 }, (_, index) => turn(index + 1)).flat());
  let run = emptyRun("r1");
  let worst = 0;
  for (const event of events) {
    const next = applyEvent(run, event);
    worst = Math.max(worst, copied(run.items, next.items), Object.keys(next.open).length);
    run = next;
  }
  assert.equal(run.items.length, 3_000);
  assert.ok(worst <= 4, `an event copied ${worst} nodes`);
});

/** How many nodes of `after` are not shared with `before`. */
function copied(before: Vector<Item>, after: Vector<Item>): number {
  const known = new Set([...nodesOf(before.root), before.tail]);
  return [...nodesOf(after.root, known), after.tail].filter((node) => !known.has(node)).length;
}

function nodesOf(node: unknown, stopAt?: ReadonlySet<unknown>): unknown[] {
  if (!Array.isArray(node) || stopAt?.has(node)) return [];
  return [node, ...node.flatMap((child) => nodesOf(child, stopAt))];
}
