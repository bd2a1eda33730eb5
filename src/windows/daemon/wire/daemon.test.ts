// What each event is in the daemon's words.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  after,
  begun,
  child,
  created,
  delegated,
  kid,
  on,
  own,
  planned,
  r1,
  said,
  step,
  stepStarted,
  steps,
  emit,
  lastParam,
} from "../../../../test/support/daemon/emitted.ts";
import * as d from "../../../../test/support/drafts.ts";
import type { AnyDraft } from "../../../../test/support/events.ts";

test("[W3, W7] an envelope has the event's session_seq as its id and its time in ISO", () => {
  const { frames } = emit(...begun);
  assert.deepEqual(frames, [
    {
      eventId: 1,
      sessionId: "s1",
      receivedAt: "1970-01-01T00:16:40.000Z",
      event: {
        method: "stream.session_started",
        params: {
          sessionId: "s1",
          model: "demo/demo",
          timestamp: "1970-01-01T00:16:40.000Z",
          projectPath: "/w",
        },
      },
    },
    {
      eventId: 4,
      sessionId: "s1",
      receivedAt: "1970-01-01T00:16:43.000Z",
      event: {
        method: "stream.turn_started",
        params: {
          sessionId: "s1",
          requestId: "turn-r1",
          turnNumber: 1,
          timestamp: "1970-01-01T00:16:43.000Z",
        },
      },
    },
  ]);
});

test("a turn is a root run: numbered, with its calls, its time and why it stopped", () => {
  const call = r1(d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1"));
  const [, , end] = after(...call, ...r1(d.said("m1", "ok"), d.done(9)));
  assert.deepEqual(said(end), [
    "stream.turn_completed",
    {
      sessionId: "s1",
      requestId: "turn-r1",
      turnNumber: 1,
      durationMs: 5_000,
      toolCount: 1,
      timestamp: "1970-01-01T00:16:48.000Z",
      stopReason: "END_TURN",
    },
  ]);
  const reasons = (["completed", "failed", "cancelled", "expired"] as const).map((how) =>
    lastParam("stopReason", ...r1(d.done(5, how))),
  );
  assert.deepEqual(reasons, ["END_TURN", "ERROR", "CANCELLED", "ERROR"]);
  const cut = d.said("m1", "…") as { payload: { finish_reason: string } };
  cut.payload.finish_reason = "length";
  const stopped = lastParam("stopReason", ...r1(cut as AnyDraft, d.done(6)));
  assert.equal(stopped, "MAX_TOKENS");
  const second = [...r1(d.done(5)), ...on("r2")(d.userMessage("b"), d.queued, d.started())];
  assert.equal(lastParam("turnNumber", ...second), 2);
});

test("a run that waits in the queue, or is cancelled there, is no turn", () => {
  const queued = on("r2")(
    d.userMessage("b", "queue"),
    d.queued,
    d.status("cancelling"),
    d.done(4, "cancelled"),
  );
  assert.deepEqual(after(...queued), []);
});

test("what is said and thought is told as it comes; hidden thoughts are not", () => {
  const hidden: AnyDraft = {
    type: "reasoning.delta",
    payload: { reasoning_id: "r", delta: "x", visibility: "hidden" },
  };
  const emitted = after(
    ...r1(
      d.thought("r", "hm"),
      hidden,
      d.thoughtDone("r", "hm"),
      d.token("m", "so"),
      d.said("m", "so"),
    ),
  );
  assert.deepEqual(emitted.map(said), [
    ["stream.thinking", { delta: "hm" }],
    ["stream.text", { delta: "so" }],
  ]);
});

test("[W7] a call is told when it is planned, once, and its first end is its end", () => {
  const emitted = after(
    ...r1(
      d.intent("c1"),
      d.toolStarted("c1"),
      d.printed("c1", "x"),
      d.toolDone("c1", "failed"),
      d.toolDone("c1"),
    ),
  );
  assert.deepEqual(emitted.map(said), [
    ["stream.tool_use", { id: "r1.c1", name: "exec", summary: "Run ls" }],
    [
      "stream.tool_completed",
      { id: "r1.c1", name: "exec", durationMs: 3, isError: true, error: "exit 1" },
    ],
  ]);
  const long = d.toolDone("c1", "failed") as { payload: { error: { message: string } } };
  long.payload.error.message = "é".repeat(500);
  const error = lastParam("error", ...r1(d.intent("c1"), long as AnyDraft));
  assert.equal(error, `${"é".repeat(159)}…`);
  const skipped = r1(d.intent("c1"), d.toolDone("c1", "skipped"));
  assert.equal(lastParam("error", ...skipped), "skipped");
});

test("[W6] calls of the plan tool are only what they make of the plan; a request at one stands at the turn", () => {
  const planCall = (id: string) => {
    const draft = d.intent(id) as Extract<AnyDraft, { type: "tool.intent" }>;
    return { ...draft, payload: { ...draft.payload, name: "plan" } };
  };
  const emitted = after(
    ...r1(planned, stepStarted, d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1")),
    ...r1(planCall("c2"), d.approvalAsked("c2"), d.toolStarted("c2"), d.toolDone("c2")),
    ...r1(d.done(20)),
  );
  assert.deepEqual(
    emitted.map(({ method }) => method),
    [
      "stream.plan_created",
      "stream.plan_step_started",
      "stream.tool_use",
      "stream.tool_completed",
      "permission.request",
      "stream.turn_completed",
    ],
  );
  const params = emitted.map((event) => event.params as Record<string, unknown>);
  assert.equal(params[4]?.["toolUseId"], undefined);
  assert.equal(params[5]?.["toolCount"], 1);
});

test("[W3] the call of a command, planned before its run began, is told within the turn", () => {
  const entries = [
    ...created,
    ...r1(
      d.userMessage("/compress"),
      d.queued,
      d.intent("direct.c0", "direct"),
      d.started(),
      d.toolStarted("direct.c0"),
      d.toolDone("direct.c0"),
    ),
  ];
  const { frames } = emit(...entries);
  assert.deepEqual(
    frames.map(({ event }) => event.method),
    ["stream.session_started", "stream.turn_started", "stream.tool_use", "stream.tool_completed"],
  );
  const never = emit(
    ...created,
    ...r1(
      d.userMessage("x"),
      d.queued,
      d.intent("direct.c0"),
      d.toolDone("direct.c0", "cancelled"),
    ),
  );
  assert.equal(never.frames.length, 1);
});

test("[W7] plans are told with the run's name on them; what is done in a step names it", () => {
  const stepDone: AnyDraft = {
    type: "plan.step_completed",
    payload: { ...step, success: true, duration_ms: 1.4, tokens_used: null },
  };
  const emitted = after(
    ...r1(planned, stepStarted, d.token("m", "a"), d.intent("c1"), d.thought("r", "b")),
    ...r1(
      { type: "plan.step_fallback", payload: { ...step, approach: "row", attempt: 1 } },
      stepDone,
      d.token("m", "c"),
    ),
    ...r1({
      type: "plan.replanned",
      payload: { plan_id: "pl", attempt: 1, rationale: "no wind", steps: steps.slice(1) },
    }),
    ...r1({
      type: "plan.completed",
      payload: {
        plan_id: "pl",
        success: false,
        steps_completed: 1,
        total_steps: 2,
        duration_ms: 9,
      },
    }),
    ...r1({ type: "plan.escalated", payload: { plan_id: "pl", reason: "stuck" } }),
  );
  const parentStepId = "r1.pl:step:1";
  const ref = { planId: "r1.pl", stepId: "r1.pl:step:1", stepIndex: 1 };
  assert.deepEqual(emitted.map(said), [
    [
      "stream.plan_created",
      {
        planId: "r1.pl",
        stepCount: 2,
        goal: `${"g".repeat(199)}…`,
        steps: [
          { index: 1, name: "Look", description: "around" },
          { index: 2, name: "Leap", description: "" },
        ],
      },
    ],
    ["stream.plan_step_started", { ...ref, totalSteps: 2, stepName: "Look" }],
    ["stream.text", { delta: "a", parentStepId }],
    ["stream.tool_use", { id: "r1.c1", name: "exec", summary: "Run ls", parentStepId }],
    ["stream.thinking", { delta: "b", parentStepId }],
    ["stream.plan_step_fallback", { sessionId: "s1", ...ref, fallbackApproach: "row", attempt: 1 }],
    [
      "stream.plan_step_completed",
      { ...ref, stepName: "Look", success: true, durationMs: 1, tokensUsed: 0 },
    ],
    ["stream.text", { delta: "c" }],
    [
      "stream.plan_replanned",
      { planId: "r1.pl", replanAttempt: 1, newStepCount: 1, rationale: "no wind" },
    ],
    [
      "stream.plan_completed",
      { planId: "r1.pl", success: false, totalDurationMs: 9, stepsCompleted: 1, totalSteps: 2 },
    ],
    ["stream.plan_escalated", { planId: "r1.pl", reason: "stuck" }],
  ]);
});

test("[W7] a change of plan ends the step that ran: what comes next names none", () => {
  const changed: AnyDraft = {
    type: "plan.replanned",
    payload: { plan_id: "pl", attempt: 1, rationale: "", steps },
  };
  const emitted = after(...r1(planned, stepStarted, changed, d.token("m", "x")));
  assert.deepEqual(said(emitted.at(-1)), ["stream.text", { delta: "x" }]);
});

test("[W3] a turn begins once, whatever a log repeats", () => {
  assert.deepEqual(after(...r1(d.started("runner_2"))), []);
});

test("usage adds up over the session, subagents included", () => {
  const spent = (input: number | null, output: number): AnyDraft => {
    const { payload } = d.used(1, 1) as Extract<AnyDraft, { type: "usage.updated" }>;
    return {
      type: "usage.updated",
      payload: { ...payload, input_tokens: input, output_tokens: output },
    };
  };
  const emitted = after(
    ...r1(spent(10, 1)),
    ...delegated(),
    ...kid(spent(5, 2)),
    ...r1(spent(null, 4)),
  );
  assert.deepEqual(
    emitted.filter(({ method }) => method === "stream.usage").map(({ params }) => params),
    [
      { inputTokens: 10, totalInputTokens: 10, totalOutputTokens: 1 },
      { inputTokens: 5, totalInputTokens: 15, totalOutputTokens: 3 },
      { inputTokens: 0, totalInputTokens: 15, totalOutputTokens: 7 },
    ],
  );
});

test("[W1] what a stopped subagent still says after its end was told is not its run's", () => {
  const over: AnyDraft = {
    type: "subagent.completed",
    payload: { ...child, status: "cancelled", summary: "" },
  };
  const emitted = after(
    ...delegated(),
    ...kid(d.started(), d.turnStarted(1)),
    ...r1(over, d.done(9, "cancelled")),
    ...kid(d.token("m1", "cut"), d.failed("stopped"), d.done(6, "cancelled")),
  );
  assert.equal(emitted.at(-1)?.method, "stream.turn_completed");
});

test("cancelling, errors, lost steps, recoveries and compactions are told", () => {
  const started: AnyDraft = {
    type: "compaction",
    payload: { phase: "started", original_tokens: 9, compacted_tokens: 0, summary: null },
  };
  const emitted = after(
    ...r1(
      d.turnStarted(1),
      d.recovery(1),
      d.superseded(1),
      d.status("paused", "disk_full"),
      started,
      d.compacted("s", null),
      d.status("cancelling"),
      d.failed("boom"),
    ),
  );
  assert.deepEqual(emitted.map(said), [
    ["stream.heartbeat", { phase: "model_call" }],
    ["stream.heartbeat", { phase: "recovery" }],
    ["stream.error", { error: "Asked again." }],
    ["stream.heartbeat", { phase: "paused: disk_full" }],
    ["stream.heartbeat", { phase: "compaction" }],
    ["stream.compaction", { originalTokens: 1_000, compactedTokens: 10, phase: "completed" }],
    ["stream.cancelled", { sessionId: "s1" }],
    ["stream.error", { error: "It was boom." }],
  ]);
});

test("a deleted session has ended; one that is taken back has started again", () => {
  const update = (payload: Record<string, unknown>): AnyDraft => ({
    type: "session.updated",
    payload,
  });
  const emitted = after(
    ...own(
      update({ model: "a/b" }),
      update({ deleted: true }),
      update({ deleted: true }),
      update({ deleted: false }),
    ),
  );
  const timestamp = "1970-01-01T00:16:45.000Z";
  assert.deepEqual(emitted.map(said), [
    ["stream.session_ended", { sessionId: "s1", timestamp, reason: "destroyed" }],
    [
      "stream.session_started",
      {
        sessionId: "s1",
        model: "a/b",
        timestamp: timestamp.replace("45", "47"),
        projectPath: "/w",
      },
    ],
  ]);
});

test("[W2] extensions and unknown types pass through untouched, but nobody speaks in our name", () => {
  const payload = { any: ["thing", null, 1.5] };
  const types = [
    "x.stream.swarm_started",
    "x.stream.worker_done",
    "x.acme.thing",
    "x.note",
    "moon.phase",
    "constructor",
    "x.stream.text",
    "x.permission.request",
  ];
  const emitted = after(...r1(...types.map((type): AnyDraft => ({ type, payload }))));
  assert.deepEqual(
    emitted.map(({ method }) => method),
    [
      "stream.swarm_started",
      "stream.worker_done",
      "acme.thing",
      "note",
      "quarterdeck.moon.phase",
      "quarterdeck.constructor",
      "x.stream.text",
      "x.permission.request",
    ],
  );
  for (const { params } of emitted) assert.deepEqual(params, payload);
});
