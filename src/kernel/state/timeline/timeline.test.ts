// What the timeline makes of sessions that really happened, and of the cases they do not hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, sealAll, type AnyDraft } from "../../../../test/support/events.ts";
import { readRecordings } from "../../../../test/support/recordings/session-recordings.ts";
import type { RunEvent } from "../../events/events.ts";
import { applyToTimeline, emptyTimeline, type Span, type TimelineState } from "./timeline.ts";
import { last, toArray, values } from "../vector.ts";

const fold = (events: readonly RunEvent[]) => events.reduce(applyToTimeline, emptyTimeline("s1"));
const recorded = new Map(readRecordings().map(({ name, events }) => [name, events]));

function recording(name: string): TimelineState {
  const events = recorded.get(name);
  assert.ok(events, name);
  return fold(events as readonly RunEvent[]);
}

const allSpans = (state: TimelineState): Span[] =>
  toArray(state.lines).flatMap(({ spans }) => toArray(spans));

const inLane = (state: TimelineState, lane: Span["lane"]) =>
  allSpans(state)
    .filter((span) => span.lane === lane)
    .map(({ label, status }) => `${label}: ${status}`);

const run = (...drafts: AnyDraft[]) =>
  fold(seal("r1", [d.userMessage("Go"), d.queued, d.started(), ...drafts]));

const lineOf = (state: TimelineState, runId: string) =>
  toArray(state.lines).find((line) => line.runId === runId);
const ofRun = (state: TimelineState) => toArray(lineOf(state, "r1")?.spans ?? assert.fail());

test("[UX] calls that run side by side overlap; the model's step ends before they begin", () => {
  const [queued, turn, first, second, third, again] = allSpans(recording("parallel-tools"));
  assert.ok(queued && turn && first && second && third && again);
  assert.equal(queued.label, "Queued");
  assert.deepEqual([turn.label, again.label], ["Turn 1", "Turn 2"]);
  assert.ok((turn.endedAt ?? Infinity) <= first.startedAt);
  assert.ok((first.endedAt ?? 0) > second.startedAt);
  assert.ok((second.endedAt ?? Infinity) <= third.startedAt);
});

test("[UX] an attempt that was cut is marked, ends when it was last heard of, and the gap is a queue's", () => {
  const state = recording("crash");
  assert.deepEqual(inLane(state, "model"), ["Turn 1: superseded", "Turn 1, attempt 2: done"]);
  const cut = allSpans(state).find(({ status }) => status === "superseded");
  const gap = allSpans(state).find(({ kind }) => kind === "recovery");
  assert.ok(cut && gap);
  assert.equal(gap.startedAt, cut.endedAt);
  assert.ok((gap.endedAt ?? 0) - gap.startedAt > 0.3, "the runner was gone for a while");
});

test("[UX] waiting for a person is a span of its own, with how it was answered", () => {
  assert.deepEqual(inLane(recording("two-approvals"), "person"), [
    "Allow exec?: denied",
    "Allow exec?: done",
    "Allow exec?: denied",
    "Allow exec?: done",
  ]);
  const [asked] = allSpans(recording("clarify")).filter(({ lane }) => lane === "person");
  assert.equal(asked?.label, "Which colour?");
});

test("[UX] a call nobody knows the outcome of ends with its runner; what is decided is its status", () => {
  const state = recording("outcome-unknown");
  const calls = allSpans(state).filter(({ kind }) => kind === "call");
  assert.deepEqual(
    calls.map(({ status }) => status),
    ["done", "unknown", "done", "cancelled"],
  );
  const gap = allSpans(state).find(({ kind }) => kind === "recovery");
  assert.equal(calls[0]?.endedAt, gap?.startedAt);
  const asked = allSpans(state).filter(({ lane }) => lane === "person");
  assert.deepEqual(
    asked.map(({ parent }) => parent),
    [null, null, null],
    "what has ended contains nothing",
  );
});

test("[UX] a subagent's line knows the call that waits for it", () => {
  const state = recording("subagents");
  const lines = toArray(state.lines);
  assert.deepEqual(
    lines.map(({ depth }) => depth),
    [0, 1, 1, 2],
  );
  for (const child of lines.slice(1)) {
    const asker = allSpans(state).find(({ id }) => id === child.askedBy);
    assert.equal(asker?.childRunId, child.runId);
    assert.equal(asker?.runId, child.parentRunId);
    assert.equal(child.rootRunId, lines[0]?.runId);
    assert.ok(last(child.spans)?.depth === child.depth);
  }
});

test("[UX] steps of a plan and commands in the background have spans", () => {
  assert.deepEqual(inLane(recording("plan"), "plan"), [
    "Rig: done",
    "Sail: failed",
    "Sail: failed",
    "Row to the pier: done",
    "Walk: done",
    "Wait for wind: failed",
  ]);
  const processes = allSpans(recording("background")).filter(({ kind }) => kind === "process");
  assert.deepEqual(
    processes.map(({ label, status }) => [label, status]),
    [
      ["sleep 62", "cancelled"],
      ["echo started", "done"],
    ],
  );
  assert.ok(processes.every(({ parent }) => parent !== null));
});

test("[UX] a question inside a call is inside its span; an approval before it is not", () => {
  const state = run(
    d.turnStarted(1),
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.approvalGiven("c1", "once"),
    d.toolStarted("c1"),
    d.clarifyAsked("q1", "c1"),
    d.clarifyGiven("q1", "c1", "left"),
    d.toolDone("c1"),
  );
  const [approval, question] = ofRun(state).filter(({ lane }) => lane === "person");
  const call = ofRun(state).find(({ kind }) => kind === "call");
  assert.equal(approval?.parent, null);
  assert.equal(question?.parent, call?.id);
  assert.equal(question?.detail, "left");
  assert.equal(approval?.seq, call?.seq, "both are the same card in the chat");
});

test("[UX] a runner lost while a person was waited for leaves no gap: nobody knows when", () => {
  const state = run(d.turnStarted(1), d.intent("c1"), d.approvalAsked("c1"), d.recovery(1));
  const gap = ofRun(state).find(({ kind }) => kind === "recovery");
  assert.equal(gap?.startedAt, gap?.endedAt);
});

test("[UX] a call that never began is a moment, and the first result stays", () => {
  const state = run(
    d.turnStarted(1),
    d.intent("c1"),
    d.toolDone("c1", "denied"),
    d.toolDone("c1", "failed"),
  );
  const calls = ofRun(state).filter(({ kind }) => kind === "call");
  assert.deepEqual(
    calls.map(({ status, startedAt, endedAt }) => [status, Number(endedAt) - startedAt]),
    [["denied", 0]],
  );
});

test("[UX] a retried call is two spans; a wait for a subagent goes on as one", () => {
  const again = run(
    d.turnStarted(1),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.recovery(1),
    d.toolStarted("c1"),
    d.toolDone("c1"),
  );
  const statuses = ofRun(again).flatMap(({ kind, status }) => (kind === "call" ? [status] : []));
  assert.deepEqual(statuses, ["superseded", "done"]);
  const lost = ofRun(again).find(({ status }) => status === "superseded");
  const gap = ofRun(again).find(({ kind }) => kind === "recovery");
  assert.equal(lost?.endedAt, gap?.startedAt, "it was last heard of with its runner");

  const child = { subagent_id: "r2", child_run_id: "r2", call_id: "c1", title: "Sub" };
  const asked: AnyDraft = {
    type: "subagent.started",
    payload: { ...child, prompt: "go", depth: 1 },
  };
  const delegated = run(
    d.turnStarted(1),
    d.intent("c1"),
    d.toolStarted("c1"),
    asked,
    d.recovery(1),
    d.toolStarted("c1"),
    d.toolDone("c1"),
  );
  assert.equal(ofRun(delegated).filter(({ kind }) => kind === "call").length, 1);
  assert.equal(lineOf(delegated, "r2")?.title, "Sub");
});

test("[UX] the first thing a turn shows is what it is in other views", () => {
  const state = run(d.turnStarted(1), d.thought("m0", "Hm"), d.token("m1", "Yes"));
  const turn = ofRun(state).find(({ kind }) => kind === "turn");
  assert.deepEqual([turn?.from, turn?.seq], [4, 5]);
});

test("[S5] words that stream change no line, so nothing is drawn anew", () => {
  const drafts = [d.userMessage("Go"), d.queued, d.started(), d.turnStarted(1), d.token("m", "a")];
  const events = seal("r1", [...drafts, d.token("m", "b"), d.token("m", "c")]);
  const before = fold(events.slice(0, 5));
  const after = events.slice(5).reduce(applyToTimeline, before);
  assert.equal(after.lines, before.lines);
  assert.equal(after.at, events.at(-1)?.created_at);
});

test("[S4] an event from the future moves the cursor; a hole is an error", () => {
  const events = sealAll([
    { logId: "s1", draft: { type: "sun.spots", payload: {} } },
    { logId: "r1", draft: d.userMessage("Go") },
    { logId: "r1", draft: { type: "moon.phase", payload: {} } },
  ]);
  assert.equal(fold(events).seq, 3);
  assert.throws(() => fold(events.toSpliced(1, 1)), /gap in session/);
  assert.deepEqual(
    [...values(fold(events).lines)].map(({ title }) => title),
    ["Go"],
  );
});
