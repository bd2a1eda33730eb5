import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../test/support/drafts.ts";
import { seal, sessions, type AnyDraft } from "../../../test/support/events.ts";
import { folded } from "../../kernel/client/sessions/store.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import { last, toArray } from "../../kernel/state/vector.ts";
import { markOf } from "./marks.ts";
import { outline } from "./outline.ts";
import { createTreeBuilder } from "./build-tree.ts";

const fold = (events: readonly RunEvent[]) => outline.apply(outline.empty("s1"), events);
const ofRun = (...drafts: AnyDraft[]) => {
  const run = fold(seal("r1", [d.userMessage("Go"), d.queued, d.started(), ...drafts]))["r1"];
  assert.ok(run);
  return run;
};
const step = { plan_id: "pl", step_id: "st1", index: 1, name: "Look" };
const stepStarted: AnyDraft = { type: "plan.step_started", payload: { ...step, total: 1 } };
const stepDone = (success: boolean): AnyDraft => ({
  type: "plan.step_completed",
  payload: { ...step, success, duration_ms: 1, tokens_used: null },
});

test("[UX] a turn knows its model, its tokens, where it began and where it ended", () => {
  const used = d.used(1, 40) as { type: string; payload: Record<string, unknown> };
  const counted = { ...used, payload: { ...used.payload, turn_id: "t1.1" } };
  const { turns } = ofRun(d.turnStarted(1), counted, d.turnCompleted(1), d.turnStarted(2));
  const [first, second] = toArray(turns);
  assert.deepEqual(
    [first?.seq, first?.endSeq, first?.phase, first?.model],
    [4, 6, "over", "demo/demo"],
  );
  assert.equal(first?.tokens, 40);
  assert.deepEqual([second?.endSeq, second?.endedAt, second?.phase], [null, null, "running"]);
});

test("[UX] the end of a run ends what was going on in it", () => {
  const { turns, steps } = ofRun(stepStarted, d.turnStarted(1), d.done(6, "cancelled"));
  assert.deepEqual([last(turns)?.endSeq, last(turns)?.phase], [6, "over"]);
  assert.deepEqual([steps[0]?.endSeq, steps[0]?.status], [6, "running"]);
});

test("[UX] a step ends where that is said, well or not", () => {
  for (const success of [true, false]) {
    const { steps } = ofRun(stepStarted, stepDone(success), d.turnStarted(1));
    assert.deepEqual([steps[0]?.endSeq, steps[0]?.status], [5, success ? "completed" : "failed"]);
  }
});

test("[V2] in one batch or event by event, with repeats of nothing, it is the same outline", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const one = events.reduce((state, event) => outline.apply(state, [event]), {});
      assert.deepEqual(one, fold(events));
    }),
    { numRuns: 40 },
  );
});

test("[S2] a token leaves the outline as it was", () => {
  const before = fold(seal("r1", [d.userMessage("Go"), d.queued, d.turnStarted(1)]));
  const [token] = seal("r1", [d.token("m1", "a")]);
  assert.ok(token);
  assert.equal(outline.apply(before, [token]), before);
});

test("[V2] trees with subagents, built at every event, are those built at once", () => {
  for (const name of ["subagents", "subagent-questions", "cancelled-subagent"]) {
    const path = `../../../test/journals/sessions/${name}.events.jsonl`;
    const lines = readFileSync(join(import.meta.dirname, path), "utf8")
      .trim()
      .split("\n");
    const events = lines.map((line) => JSON.parse(line) as RunEvent);
    const runId = events.find(({ type }) => type === "run.queued")?.run_id ?? "";
    const build = createTreeBuilder();
    let [view, facts] = [folded.empty(""), outline.empty("")];
    for (const event of events) {
      view = folded.apply(view, [event]);
      facts = outline.apply(facts, [event]);
      const input = { runs: view.runs, outline: facts, runId, rewound: false };
      assert.deepEqual(build(input), createTreeBuilder()(input), `${name} at ${event.session_seq}`);
    }
  }
});

test("[UX] what waits for a person is marked, of every kind; so is what failed or was lost", () => {
  const mark = (item: unknown) => markOf({ kind: "item", item: item as Item, child: null });
  for (const status of ["awaiting_approval", "awaiting_clarify", "outcome_unknown"]) {
    assert.equal(mark({ kind: "tool", status }), "waiting", status);
  }
  for (const status of ["failed", "denied"])
    assert.equal(mark({ kind: "tool", status }), "problem");
  for (const status of ["planned", "running", "completed", "skipped", "cancelled"]) {
    assert.equal(mark({ kind: "tool", status }), null, status);
  }
  const notice = { kind: "notice", tone: "warning", code: "clarify", request: { answer: null } };
  assert.equal(mark(notice), "waiting");
  assert.equal(mark({ ...notice, request: { answer: { status: "answered" } } }), null);
  assert.equal(mark({ ...notice, request: null, code: "recovery" }), "problem");
  assert.equal(mark({ ...notice, request: null, tone: "error" }), "problem");
});
