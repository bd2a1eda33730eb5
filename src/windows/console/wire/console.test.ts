// The console's dialect, runs and words: the document's own examples, what its real client reads, and what
// must never happen to a window on a session with subagents, crashes and types from the future.
import assert from "node:assert/strict";
import { handlerOf } from "../../../kernel/events/event-table.ts";
import { test } from "node:test";
import {
  assertLike,
  BEGUN,
  inRun,
  only,
  emitted,
} from "../../../../test/support/console/frames.ts";
import * as d from "../../../../test/support/drafts.ts";
import { seal, type AnyDraft, type Entry } from "../../../../test/support/events.ts";
import { EVENT_TYPES, type Draft } from "../../../kernel/events/events.ts";
import { consoleDialect } from "./console.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";

test("[W6] a frame is the document's envelope, and its id is the event's", () => {
  const [frame] = emitted(inRun(d.userMessage("hello")));
  assert.deepEqual(Object.keys(frame ?? {}), [
    "id",
    "type",
    "session_id",
    "run_id",
    "ts",
    "payload",
  ]);
  assert.equal(frame?.id, "run_987:1");
  assert.equal(frame?.session_id, "sess_123");
  assert.equal(frame?.run_id, "run_987");
  assert.equal(frame?.ts, "1970-01-01T00:16:40.000Z");
});

test("[W6] run.started, the deltas and the message as the document and the client want them", () => {
  const frames = emitted(
    inRun(
      ...BEGUN,
      d.thought("rt1.1.0", "Let me see."),
      d.thoughtDone("rt1.1.0", "Let me see."),
      d.token("m1.1", "The API server currently exposes"),
      d.said("m1.1", "The API server currently exposes"),
    ),
  );
  const started = only(frames, "run.started");
  assertLike(started, {
    type: "run.started",
    payload: { message_id: "msg_1", title: "Inspect API server routes" },
  });
  assert.equal(started.payload["prompt"], "Inspect API server routes");
  assertLike(only(frames, "message.user"), {
    type: "message.user",
    payload: { message_id: "msg_1", content: "Inspect API server routes" },
  });
  assertLike(only(frames, "message.assistant.delta"), {
    type: "message.assistant.delta",
    payload: {
      message_id: "run_987.m1.1",
      delta: "The API server currently exposes",
      content: "The API server currently exposes",
    },
  });
  assertLike(only(frames, "message.reasoning.delta"), {
    type: "message.reasoning.delta",
    payload: { message_id: "run_987.rt1.1.0", delta: "Let me see.", content: "Let me see." },
  });
  assertLike(only(frames, "message.assistant.completed"), {
    type: "message.assistant.completed",
    payload: {
      message_id: "run_987.m1.1",
      content: "The API server currently exposes",
      reasoning: "Let me see.",
    },
  });
});

const DELEGATED = {
  subagent_id: "sub_1",
  child_run_id: "run_987.c9",
  call_id: "c9",
  title: "Inspect gateway features",
};
const STARTED: Draft = {
  type: "subagent.started",
  payload: { ...DELEGATED, prompt: "look", depth: 1 },
};
const FINISHED: Draft = {
  type: "subagent.completed",
  payload: {
    ...DELEGATED,
    status: "completed",
    summary: "Found pairing, status, and gateway config surfaces.",
  },
};
const inChild = (...drafts: AnyDraft[]): Entry[] =>
  drafts.map((draft) => ({ logId: "run_987.c9", draft }));

test("[W4, W6] a subagent's work is not taken for the agent's, but what it asks is asked", () => {
  const frames = emitted([
    ...inRun(...BEGUN, STARTED),
    ...inChild(
      d.userMessage("look"),
      d.queued,
      d.started(),
      d.turnStarted(1),
      d.token("m1.1", "inner"),
      d.said("m1.1", "inner"),
      d.intent("c1"),
      d.approvalAsked("c1"),
      d.approvalGiven("c1", "once"),
      d.toolStarted("c1"),
      d.outcomeUnknown("c1"),
      d.toolDone("c1"),
      { type: "moon.phase", payload: { phase: "new" } },
      d.done(14, "completed", "inner"),
    ),
    ...inRun(FINISHED, d.token("m1.1", "outer"), d.done(9, "completed", "outer")),
  ]);
  const known = ["message.", "tool.", "run."];
  const inner = frames.filter(({ run_id }) => run_id === "run_987.c9");
  assert.ok(inner.length > 10);
  for (const { type, payload } of inner) {
    assert.ok(!known.some((prefix) => type.startsWith(prefix)), type);
    assert.equal(payload["parent_run_id"], "run_987", type);
  }
  const asked = inner.filter(({ type }) => /^(approval|clarify)\./.test(type));
  assert.deepEqual(
    asked.map(({ type, payload }) => [type, payload["request_id"]]),
    [
      ["approval.requested", "ap_c1"],
      ["approval.resolved", "ap_c1"],
      ["clarify.requested", "un_c1"],
    ],
  );
  assertLike(only(frames, "subagent.completed"), {
    type: "subagent.completed",
    payload: {
      subagent_id: "sub_1",
      title: "Inspect gateway features",
      summary: "Found pairing, status, and gateway config surfaces.",
      status: "completed",
    },
  });
  assert.equal(only(frames, "message.assistant.delta").payload["content"], "outer");
  assert.equal(only(frames, "run.completed").payload["final_response"], "outer");
  assert.equal(only(frames, "subagent.run.completed").payload["final_response"], "inner");
});

const USAGE = { ...(d.done(1) as Extract<Draft, { type: "done" }>).payload.usage };

test("[W6] a run ends with its answer and its usage under both names", () => {
  const usage = { ...USAGE, input_tokens: 12_000, output_tokens: 3_400, total_tokens: 15_400 };
  const end = d.done(5, "completed", "Done — I gave Hermes a browser GUI.") as Extract<
    Draft,
    { type: "done" }
  >;
  const frames = emitted(inRun(...BEGUN, { ...end, payload: { ...end.payload, usage } }));
  const { completed, final_response, usage: shown } = only(frames, "run.completed").payload;
  assert.equal(completed, true);
  assert.equal(final_response, "Done — I gave Hermes a browser GUI.");
  assert.deepEqual(shown, {
    ...usage,
    prompt_tokens: 12_000,
    completion_tokens: 3_400,
    total_tokens: 15_400,
  });
  const unknown = emitted(inRun(...BEGUN, d.done(5)));
  const { usage: none } = only(unknown, "run.completed").payload as {
    usage: Record<string, unknown>;
  };
  assert.deepEqual([none["prompt_tokens"], none["input_tokens"]], [0, null]);
});

test("[W4] every other end is a failure a client knows, with its own type", () => {
  const ends = (["failed", "cancelled", "expired"] as const).map((status) => {
    const frames = emitted(inRun(...BEGUN, d.approvalAsked("c1"), d.done(6, status)));
    const { error, error_type, unanswered, ...rest } = only(frames, "run.failed").payload;
    assert.deepEqual(unanswered, ["ap_c1"], "nobody can answer it any more");
    return { status: rest["status"], error, error_type };
  });
  assert.deepEqual(ends, [
    { status: "failed", error: "It was boom.", error_type: "boom" },
    { status: "cancelled", error: "The run was stopped.", error_type: "cancelled" },
    { status: "expired", error: "The run did not end in time.", error_type: "expired" },
  ]);
});

test("[W20a] what a crash cut goes on under the same ids", () => {
  const frames = emitted(
    inRun(
      ...BEGUN,
      d.thought("rt1.1.0", "hm"),
      d.token("m1.1", "half a sen"),
      d.superseded(1),
      d.turnStarted(1, 2),
      d.thought("rt1.2.0", "hm"),
      d.token("m1.2", "half a sentence"),
    ),
  );
  const said = frames.filter(({ type }) => /^message\.(assistant|reasoning)/.test(type));
  assert.deepEqual(
    said.map(({ payload }) => [payload["message_id"], payload["delta"]]),
    [
      ["run_987.rt1.1.0", "hm"],
      ["run_987.m1.1", "half a sen"],
      ["run_987.m1.1", "tence"],
    ],
  );
});

test("[W6] a step that only calls tools makes no empty message; hidden thinking stays hidden", () => {
  const hidden: AnyDraft = {
    type: "reasoning.delta",
    payload: { reasoning_id: "r", delta: "secret", visibility: "hidden" },
  };
  const over: AnyDraft = {
    type: "reasoning.done",
    payload: { reasoning_id: "r", text: "secret", duration_ms: 1, visibility: "hidden" },
  };
  const frames = emitted(inRun(...BEGUN, hidden, over, d.said("m1.1", "")));
  assert.ok(!JSON.stringify(frames).includes("secret"));
  assert.deepEqual(
    frames.map(({ type }) => type),
    ["message.user", "run.queued", "run.started", "turn.started"],
  );
});

test("[W6] thinking too long to keep is not told half with the message", () => {
  const long = "x".repeat(5_000);
  const frames = emitted(
    inRun(...BEGUN, d.thoughtDone("r1", long), d.thoughtDone("r2", "short"), d.said("m1.1", "hi")),
  );
  assert.equal(only(frames, "message.assistant.completed").payload["reasoning"], undefined);
  const next = emitted(
    inRun(
      ...BEGUN,
      d.thoughtDone("r1", long),
      d.said("m1.1", "hi"),
      d.turnStarted(2),
      d.said("m2.1", "ho"),
    ),
  );
  assert.equal(next.at(-1)?.payload["reasoning"], undefined, "and nothing is left of it");
});

test("[W2] every type has an entry; one from the future is passed on as it is", () => {
  assert.ok(EVENT_TYPES.every((type) => handlerOf(consoleDialect.table, type)));
  const payload = { phase: "waxing", nested: { deep: true } };
  const [frame] = seal("r1", [{ type: "moon.phase", payload }]).flatMap((event) =>
    encode(consoleDialect, event, consoleDialect.begin(), { replay: false }),
  );
  assert.deepEqual([frame?.type, frame?.payload], ["moon.phase", payload]);
});

test("[W7] ids that are unique within a run only are told with their run", () => {
  const step = { plan_id: "pl", step_id: "st1", index: 1, name: "Look" };
  const frames = emitted(
    inRun(
      ...BEGUN,
      {
        type: "plan.created",
        payload: { plan_id: "pl", goal: "g", steps: [{ ...step, description: "" }] },
      },
      { type: "plan.step_started", payload: { ...step, total: 1 } },
      { type: "progress", payload: { phase: "p", message: "m", call_id: "c1" } },
      d.changed("c1", "a.txt"),
    ),
  );
  const made = only(frames, "plan.created").payload as {
    plan_id: string;
    steps: { step_id: string }[];
  };
  assert.equal(made.plan_id, "run_987.pl");
  assert.equal(made.steps[0]?.step_id, "run_987.st1");
  assert.equal(only(frames, "plan.step_started").payload["step_id"], "run_987.st1");
  assert.equal(only(frames, "progress").payload["tool_call_id"], "run_987.c1");
  assertLike(only(frames, "files.changed"), {
    type: "files.changed",
    payload: {
      tool_call_id: "run_987.c1",
      files: [{ path: "a.txt", change: "modified" }],
    },
  });
});
