import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { journals, seal } from "../../../../test/support/events.ts";
import * as d from "../../../../test/support/drafts.ts";
import { applyEvent, emptyRun } from "../../state/run/state.ts";
import type { AnyDraft } from "../../../../test/support/events.ts";
import { nextStep } from "./next-step.ts";

const stepAfter = (drafts: readonly AnyDraft[]) =>
  nextStep(seal("r1", drafts).reduce(applyEvent, emptyRun("r1")));

const begun = [d.userMessage("hello"), d.queued, d.started()];
const asked = [...begun, d.turnStarted(1)];
const planned = [...asked, d.said("m1.1", "text"), d.intent("c1")];

test("[R1] a run goes from model to tools to the end by its state alone", () => {
  assert.deepEqual(stepAfter(begun), { do: "call_model", index: 1, attempt: 1 });
  assert.deepEqual(stepAfter(planned), { do: "settle_tools", calls: ["c1"] });
  const settled = [...planned, d.toolStarted("c1"), d.toolDone("c1")];
  assert.deepEqual(stepAfter(settled), { do: "close_turn", turnId: "t1.1" });
  const closed = [...settled, d.turnCompleted(1)];
  assert.deepEqual(stepAfter(closed), { do: "call_model", index: 2, attempt: 1 });
});

test("[R2a] a model step that was cut is superseded, then asked for again as another attempt", () => {
  const cut = [...asked, d.token("m1.1", "half an ans")];
  assert.deepEqual(stepAfter(cut), { do: "supersede", turnId: "t1.1" });
  assert.deepEqual(stepAfter([...cut, d.superseded(1)]), {
    do: "call_model",
    index: 1,
    attempt: 2,
  });
});

test("[R1, C3] an answer without calls ends the run, unless someone steered meanwhile", () => {
  const answered = [...asked, d.said("m1.1", "done"), d.turnCompleted(1)];
  assert.deepEqual(stepAfter(answered), { do: "complete" });
  const steered = [
    ...asked,
    d.userMessage("and hurry", "steer"),
    d.said("m1.1", "done"),
    d.turnCompleted(1),
  ];
  assert.deepEqual(stepAfter(steered), { do: "call_model", index: 2, attempt: 1 });
});

test("[C4] a cancel comes before everything else", () => {
  for (const drafts of [begun, asked, planned]) {
    assert.deepEqual(stepAfter([...drafts, d.status("cancelling")]), { do: "cancel" });
  }
});

test("[R1] every prefix of every journal has a next step", () => {
  fc.assert(
    fc.property(journals, fc.nat(), (events, cut) => {
      const prefix = events.slice(0, cut % (events.length + 1));
      const state = prefix.reduce(applyEvent, emptyRun(events[0]?.run_id ?? "r1"));
      assert.ok(nextStep(state).do);
    }),
  );
});

test("[R1, C11] a command's own call is settled and ends the run; a model is asked only if somebody speaks", () => {
  const direct = [...begun, d.intent("direct.c0", "direct")];
  assert.deepEqual(stepAfter(direct), { do: "settle_tools", calls: ["direct.c0"] });
  const settled = [...direct, d.toolStarted("direct.c0"), d.toolDone("direct.c0")];
  assert.deepEqual(stepAfter(settled), { do: "complete" });
  const spoken = [...settled, d.userMessage("and now?", "steer")];
  assert.deepEqual(stepAfter(spoken), { do: "call_model", index: 1, attempt: 1 });
});

test("[C8] a steer that was taken back keeps no run going", () => {
  const answered = [...asked, d.userMessage("hurry", "steer"), d.said("m1.1", "done")];
  const closed = [...answered, d.turnCompleted(1)];
  assert.deepEqual(stepAfter(closed), { do: "call_model", index: 2, attempt: 1 });
  assert.deepEqual(stepAfter([...closed, d.edited("m_steer", null)]), { do: "complete" });
});
