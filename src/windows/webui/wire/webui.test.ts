// What the browser's run stream tells of each event, in the words its clients read.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, sealAll, type AnyDraft, type Entry } from "../../../../test/support/events.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import { webuiSessionDialect } from "./session.ts";
import { bounded, WEBUI_EVENTS, webuiSeq, type WebuiFrame } from "./frames.ts";
import { approvalCard, clarifyCard, requestOf } from "./requests.ts";
import { webuiDialect } from "./webui.ts";

function emitted(events: readonly RunEvent[], state = webuiDialect.begin()): WebuiFrame[] {
  return events.flatMap((event) => encode(webuiDialect, event, state, { replay: false }));
}
const emit = (...drafts: AnyDraft[]) => emitted(seal("r1", drafts));
const names = (frames: readonly WebuiFrame[]) => frames.map(({ event }) => event);
const dataOf = (frames: readonly WebuiFrame[], name: string) =>
  frames.filter(({ event }) => event === name).map(({ data }) => data);
const begun = [d.userMessage("Count."), d.queued, d.started(), d.turnStarted(1)];

test("[W6] text, thoughts and tools have exactly the payloads the clients read", () => {
  const frames = emit(
    ...begun,
    d.thought("r1.0", "Hm."),
    d.thoughtDone("r1.0", "Hm."),
    d.token("m1", "One"),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.printed("c1", "out"),
    d.toolDone("c1"),
  ).slice(2);
  assert.deepEqual(frames, [
    { event: "reasoning", data: { text: "Hm." }, terminal: false },
    { event: "token", data: { text: "One" }, terminal: false },
    {
      event: "tool",
      data: {
        event_type: "tool.started",
        name: "exec",
        preview: "Run ls",
        args: { command: "ls" },
        tid: "r1.c1",
      },
      terminal: false,
    },
    {
      event: "tool_update",
      data: {
        event_type: "tool.updated",
        name: "exec",
        tid: "r1.c1",
        channel: "stdout",
        delta: "out",
      },
      terminal: false,
    },
    {
      event: "tool_complete",
      data: {
        event_type: "tool.completed",
        name: "exec",
        preview: "completed",
        args: { command: "ls" },
        tid: "r1.c1",
        duration: 0.003,
        is_error: false,
        status: "completed",
        result: { code: 0 },
        exit_code: 0,
        output: "completed",
      },
      terminal: false,
    },
  ]);
});

test("[W6] what was streamed is not shown again; what was not is shown when it is whole", () => {
  const withCalls = (id: string, text: string): AnyDraft => {
    const { payload } = d.said(id, text) as { payload: Record<string, unknown> };
    const tool_calls = [{ call_id: "c1", name: "exec", arguments_text: "{}" }];
    return { type: "message.completed", payload: { ...payload, tool_calls } };
  };
  const streamed = emit(...begun, d.token("m1", "Let me look."), withCalls("m1", "Let me look."));
  assert.deepEqual(dataOf(streamed, "interim_assistant"), [
    { text: "Let me look.", already_streamed: true },
  ]);
  const whole = emit(...begun, d.said("m1", "All at once."), d.thoughtDone("r9", "In one piece."));
  assert.deepEqual(dataOf(whole, "interim_assistant"), [
    { text: "All at once.", already_streamed: false },
  ]);
  assert.deepEqual(dataOf(whole, "reasoning"), [{ text: "In one piece." }]);
  const last = emit(...begun, d.token("m1", "The end."), d.said("m1", "The end."));
  assert.deepEqual(names(last).slice(2), ["token"], "done has it");
});

test("[F3, W6] hidden thoughts are not shown, and of two results of a call the first counts", () => {
  const hidden: AnyDraft = {
    type: "reasoning.delta",
    payload: { reasoning_id: "r1", delta: "secret", visibility: "hidden" },
  };
  const whole: AnyDraft = {
    type: "reasoning.done",
    payload: { reasoning_id: "r2", text: "secret", duration_ms: 1, visibility: "hidden" },
  };
  const results = [
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    d.toolDone("c1", "failed"),
  ];
  const frames = emit(...begun, hidden, whole, ...results).slice(2);
  assert.deepEqual(names(frames), ["tool", "tool_complete"]);
  assert.equal(frames[1]?.data["status"], "completed");
});

test("[W6] a run ends with one terminal event and stream_end, one number further", () => {
  const events = seal("r1", [...begun, d.token("m1", "One."), d.done(6, "completed", "One.")]);
  const frames = emitted(events).slice(-2);
  assert.deepEqual(names(frames), ["done", "stream_end"]);
  const [done, end] = frames;
  assert.equal(done?.terminal_state, "completed");
  assert.deepEqual(done?.data["session"], {
    session_id: "s1",
    active_stream_id: null,
    updated_at: 1_005,
    messages: [
      { role: "user", content: "Count.", message_id: "m_start", timestamp: 1_000 },
      { role: "assistant", content: "One.", timestamp: 1_005 },
    ],
    _messages_truncated: true,
  });
  assert.deepEqual(end, {
    event: "stream_end",
    data: { session_id: "s1", run_id: "r1", status: "completed" },
    terminal: true,
    terminal_state: "completed",
  });
  const last = events.at(-1) as RunEvent;
  assert.deepEqual(
    [done, end].map((frame) => frame && webuiSeq(frame, last)),
    [6, 7],
  );
});

test("[W6] stopped, failed and lost runs end as the clients tell them apart", () => {
  const end = (...drafts: AnyDraft[]) => emit(...begun, ...drafts).at(-2);
  const cancelled = end(d.status("cancelling", "asked to stop"), d.done(6, "cancelled"));
  assert.equal(cancelled?.event, "cancel");
  assert.equal(cancelled?.terminal_state, "interrupted-by-user");
  const { message, type, status } = cancelled?.data ?? {};
  assert.deepEqual(
    { message, type, status },
    {
      message: "Stopped: asked to stop.",
      type: "cancelled",
      status: "cancelled",
    },
  );
  const failed = end(d.failed("boom"), d.done(6, "failed"));
  assert.equal(failed?.event, "apperror");
  assert.equal(failed?.terminal_state, "errored");
  assert.equal(failed?.data["type"], "boom");
  assert.equal(failed?.data["message"], "It was boom.");
  assert.equal(typeof failed?.data["hint"], "string");
  const lost: AnyDraft = {
    type: "done",
    payload: {
      ...(d.done(6, "failed") as { payload: object }).payload,
      error: { code: "interrupted", message: "The runner was lost." },
    },
  };
  const interrupted = end(d.failed("interrupted"), lost);
  assert.equal(interrupted?.terminal_state, "interrupted-by-crash");
  assert.equal(interrupted?.data["type"], "interrupted");
  assert.equal(interrupted?.data["recovery_control"], true);
  assert.equal(interrupted?.data["stream_id"], "r1");
});

test("[W4] what went on after a crash is visible", () => {
  const frames = emit(...begun, d.recovery(1), d.superseded(1));
  assert.deepEqual(
    dataOf(frames, "warning").map(({ type, message }) => [type, message]),
    [
      ["recovery", "The run goes on."],
      ["superseded", "Asked again."],
    ],
  );
});

test("[W4] an unknown outcome is a question with its choices", () => {
  const frames = emit(...begun, d.intent("c1"), d.toolStarted("c1"), d.outcomeUnknown("c1"));
  const [question] = dataOf(frames, "clarify");
  assert.equal(question?.["clarify_id"], "un_c1");
  assert.equal(question?.["question"], "The runner was lost.");
  assert.deepEqual(question?.["choices_offered"], ["check", "retry", "mark_done", "skip"]);
  assert.equal(question?.["kind"], "unknown_outcome");
});

const inRun = (logId: string, ...drafts: AnyDraft[]): Entry[] =>
  drafts.map((draft) => ({ logId, draft }));

const DELEGATED: AnyDraft = {
  type: "subagent.started",
  payload: {
    subagent_id: "r1.c1",
    child_run_id: "r1.c1",
    call_id: "c1",
    title: "Sub",
    prompt: "go",
    depth: 1,
  },
};

test("[W4] of a subagent only its requests are told, under its own run", () => {
  const entries = [
    ...inRun("r1", ...begun, d.intent("c1"), d.toolStarted("c1"), DELEGATED),
    ...inRun("r1.c1", d.userMessage("go"), d.queued, d.started(), d.turnStarted(1)),
    ...inRun("r1.c1", d.token("m1", "inner"), d.thought("t", "inner"), d.intent("c9")),
    ...inRun("r1.c1", d.approvalAsked("c9"), d.approvalGiven("c9", "once"), d.toolStarted("c9")),
    ...inRun("r1.c1", d.outcomeUnknown("c9"), d.clarifyAsked("cl_2", null), d.toolDone("c9")),
    ...inRun("r1.c1", d.done(13, "completed", "inner")),
    ...inRun("r1", d.token("m1", "outer")),
  ];
  const state = webuiDialect.begin();
  const frames = emitted(sealAll(entries), state).slice(2);
  assert.deepEqual(names(frames), [
    "tool",
    "context_status",
    "approval",
    "context_status",
    "clarify",
    "clarify",
    "token",
  ]);
  const [asked] = dataOf(frames, "approval");
  assert.deepEqual([asked?.["run_id"], asked?.["subagent"]], ["r1.c1", true]);
  const counts = dataOf(frames, "clarify").map((each) => each["pending_count"]);
  assert.deepEqual(counts, [1, 2]);
  assert.deepEqual([state.approvals, state.questions], [{}, {}], "its end settles what it asked");
});

test("[W5, W7] a card is the same from the stream and from what is pending", () => {
  const [asked] = seal("r1", [d.approvalAsked("c1", 1_060)]) as RunEvent[];
  assert.ok(asked?.type === "approval.requested");
  const [frame] = emitted([asked]);
  const card = approvalCard(requestOf(asked));
  for (const [name, value] of Object.entries(card))
    assert.deepEqual(frame?.data[name], value, name);
  assert.deepEqual([card["requested_at"], card["timeout_seconds"]], [1_000, 60]);
  const [question] = seal("r1", [d.clarifyAsked("cl_1", null)]) as RunEvent[];
  assert.ok(question?.type === "clarify.requested");
  const open = clarifyCard(requestOf(question));
  assert.deepEqual([open["timeout_seconds"], open["expires_at"]], [0, null], "zero: no limit");
});

test("[W4] a steer no model has read is handed back when the run is stopped, whole and once", () => {
  const steer = d.userMessage("also the red ones", "steer");
  const stopped = emit(...begun, steer, d.status("cancelling"), d.done(7, "cancelled"));
  assert.deepEqual(dataOf(stopped, "pending_steer_leftover"), [
    { session_id: "s1", text: "also the red ones" },
  ]);
  const read = emit(
    ...begun,
    steer,
    d.turnStarted(2),
    d.status("cancelling"),
    d.done(8, "cancelled"),
  );
  assert.deepEqual(dataOf(read, "pending_steer_leftover"), []);
  const taken = emit(...begun, steer, d.edited("m_steer", null), d.status("cancelling"));
  assert.deepEqual(dataOf(taken, "pending_steer_leftover"), []);
  const failed = emit(...begun, steer, d.edited("m_steer", "the blue ones"), d.failed("boom"));
  assert.deepEqual(
    dataOf(failed, "pending_steer_leftover").map(({ text }) => text),
    ["the blue ones"],
  );
});

test("[W4] a goal goes on in the same run, and no client is given words to send again", () => {
  const next = d.goalDecided("continue") as { payload: object };
  const frames = emit(...begun, {
    type: "goal.decided",
    payload: { ...next.payload, next: "Paint it." },
  });
  const [going] = dataOf(frames, "goal_continue");
  assert.equal(going?.["decision"], "continue");
  assert.ok(!("continuation_prompt" in (going ?? {})) && !("text" in (going ?? {})));
  const met = emit(...begun, d.goalDecided("met"), d.goalDecided("blocked"));
  assert.deepEqual(
    dataOf(met, "goal").map(({ status, decision }) => [status, decision]),
    [
      ["done", "met"],
      ["paused", "blocked"],
    ],
  );
});

test("[W2] unknown events keep their names, unless a client could take them for another", () => {
  const frames = emit(
    ...begun,
    { type: "x.note", payload: { any: "thing" } },
    { type: "cancel", payload: {} },
    { type: "constructor", payload: {} },
  ).slice(2);
  assert.deepEqual(names(frames), ["x.note"]);
  assert.deepEqual(frames[0]?.data["payload"], { any: "thing" });
  const [note] = seal("r1", [{ type: "x.note", payload: {} }]);
  const broken = { ...note, type: "x.no\ndata: te" } as unknown as RunEvent;
  assert.deepEqual(emitted([broken]), [], "nothing that would be a line of its own");
});

test("[W6] what a frame carries is bounded as the contract says", () => {
  const deep = (levels: number): unknown => (levels === 0 ? "end" : { in: deep(levels - 1) });
  assert.deepEqual(bounded(deep(8)), deep(8));
  assert.notDeepEqual(bounded(deep(9)), deep(9));
  assert.equal((bounded(Array.from({ length: 100 }, (_, at) => at)) as unknown[]).length, 64);
  assert.equal((bounded("x".repeat(9_000)) as string).length, 8_192);
  assert.equal(bounded(`${"x".repeat(8_190)}\u{1f6a2}\u{1f6a2}`), `${"x".repeat(8_190)}…`);
  const much = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`key${at}`, "y".repeat(8_000)]),
  );
  assert.ok(JSON.stringify(bounded(much)).length < 70_000);
  assert.deepEqual(bounded({ a: null, b: 1.5, c: true }), { a: null, b: 1.5, c: true });
});

test("[W2] only names its clients know are told, but for unknown events", () => {
  const known = new Set<string>(WEBUI_EVENTS);
  assert.equal(known.size, 24, "its 23, and one for what a call prints on the way");
  const frames = emit(...begun, d.used(1, 9), d.compacted("so far", 1), d.changed("c1", "a.txt"));
  assert.ok(
    frames.every(({ event }) => known.has(event)),
    names(frames).join(" "),
  );
});

test("[W6] the session's channel says that turns begin and end, and what changed", () => {
  const entries = [
    ...inRun("s1", { type: "title.updated", payload: { title: "T", source: "user" } }),
    ...inRun("r1", ...begun, DELEGATED),
    ...inRun("r1.c1", d.started(), d.approvalAsked("c9"), d.done(3)),
    ...inRun("r1", {
      type: "process.exited",
      payload: { process_id: "p1", exit_code: 0, signal: null },
    }),
    ...inRun("r1", d.done(7)),
  ];
  const state = webuiSessionDialect.begin();
  const frames = sealAll(entries).flatMap((event) =>
    encode(webuiSessionDialect, event, state, { replay: false }),
  );
  assert.deepEqual(
    frames.map(({ event, data }) => [event, data["stream_id"] ?? data["title"]]),
    [
      ["title", "T"],
      ["server_turn_started", "r1"],
      ["session-updated", "r1.c1"],
      ["bg_task_complete", "r1"],
      ["session-updated", "r1"],
    ],
  );
  assert.deepEqual(state.children, {}, "subagents end too");
});
