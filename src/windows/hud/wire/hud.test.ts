// What the HUD tells of a session, event by event.
import assert from "node:assert/strict";
import { handlerOf } from "../../../kernel/events/event-table.ts";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, sealAll, type AnyDraft } from "../../../../test/support/events.ts";
import { EVENT_TYPES, type RunEvent } from "../../../kernel/events/events.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import type { OpenNodes } from "./open-nodes.ts";
import type { HudEvent } from "./events.ts";
import { uuidOf } from "./ids.ts";
import { hudDialect } from "./hud.ts";

const LIVE = { replay: false };

function emit(events: readonly RunEvent[], nodes: OpenNodes = hudDialect.begin()): HudEvent[] {
  return events.flatMap((event) => encode(hudDialect, event, nodes, LIVE));
}
const kinds = (frames: readonly HudEvent[]) => frames.map(hudDialect.kind);
const emitted = (...drafts: AnyDraft[]) => emit(seal("r1", drafts));
const BEGIN = [d.userMessage("hi"), d.queued, d.started()];

const childQueued = (parent_run_id: string): AnyDraft => ({
  ...d.queued,
  payload: { ...d.queued.payload, parent_run_id, root_run_id: "r1", depth: 1 },
});
const delegated: AnyDraft = {
  type: "subagent.started",
  payload: {
    subagent_id: "r1.c1",
    child_run_id: "r1.c1",
    call_id: "c1",
    title: "Look around",
    prompt: "go",
    depth: 1,
  },
};

test("[W7] ids are UUIDs made of the event's hash, another for each frame of it", () => {
  const hash = "0123456789abcdef0123456789abcdeffedcba9876543210fedcba9876543210";
  assert.equal(uuidOf(hash, 0), "01234567-89ab-8def-8123-456789abcdef");
  assert.equal(uuidOf(hash, 1), "01234567-89ab-8def-8123-456789abcdf0");
  assert.equal(uuidOf(hash, 0, 1), "fedcba98-7654-8210-bedc-ba9876543210");
  const top = `${"f".repeat(64)}`;
  assert.match(uuidOf(top, 5), /-ffff00000004$/, "it wraps around");
  const first = emitted(...BEGIN, d.thought("t", "x"), d.done(5));
  assert.deepEqual(emitted(...BEGIN, d.thought("t", "x"), d.done(5)), first);
  assert.equal(new Set(first.map(({ id }) => id)).size, first.length);
});

test("[W1] a turn is a run: it begins with it and ends with its end, with everything in it", () => {
  const frames = emitted(
    ...BEGIN,
    d.turnStarted(1),
    d.thought("re1", "Hm"),
    d.thought("re1", "m."),
    d.thoughtDone("re1", "Hmm."),
    d.said("m1", "I look."),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    d.turnCompleted(1),
    d.turnStarted(2),
    d.token("m2", "Done."),
    d.said("m2", "Done."),
    d.turnCompleted(2),
    d.done(18),
  );
  assert.deepEqual(kinds(frames), [
    "received message",
    "turn_start",
    "think_start",
    "think_end",
    "tool_start",
    "tool_end",
    "turn_end",
  ]);
  const [, turn, think, thought, tool, ended, end] = frames as [
    HudEvent,
    ...Record<string, unknown>[],
  ];
  assert.equal(turn?.["correlationId"], "r1");
  assert.equal(turn?.["ts"], 1_002_000);
  assert.equal(think?.["correlationId"], thought?.["correlationId"]);
  assert.notEqual(think?.["correlationId"], think?.["id"]);
  assert.deepEqual([thought?.["text"], thought?.["bytes"]], ["Hmm.", 4]);
  assert.equal(thought?.["durationMs"], 2_000);
  assert.equal(tool?.["correlationId"], "call_r1.c1");
  assert.deepEqual(tool?.["args"], { command: "ls" });
  assert.equal(ended?.["correlationId"], "call_r1.c1");
  assert.equal(ended?.["durationMs"], 2_000);
  assert.ok([think, thought, tool, ended].every((frame) => frame?.["parentId"] === "r1"));
  assert.deepEqual(end?.["result"], { ok: true, status: "completed" });
  assert.equal(end?.["durationMs"], 14_000);
});

test("[W1] replayed frames say so, and differ in nothing else", () => {
  const [message] = seal("r1", BEGIN);
  assert.ok(message);
  const live = encode(hudDialect, message, hudDialect.begin(), LIVE);
  const replayed = encode(hudDialect, message, hudDialect.begin(), { replay: true });
  assert.deepEqual(
    replayed,
    live.map((frame) => ({ ...frame, replay: true })),
  );
  assert.ok(live.every((frame) => !("replay" in frame)));
});

test("[W4] a call that waits for approval is a running node, and the request is told beside it", () => {
  const frames = emitted(
    ...BEGIN,
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.status("awaiting_approval"),
  );
  assert.deepEqual(kinds(frames).slice(2), ["tool_start", "received approval"]);
  const asked = frames.at(-1);
  assert.ok(asked?.event === "received");
  assert.equal(asked.parentId, "r1");
  assert.equal(asked.label, "waiting for your approval: ls");
  assert.deepEqual(asked.payload, {
    request_id: "ap_c1",
    status: "pending",
    run_id: "r1",
    correlationId: "call_r1.c1",
    prompt: "ls",
    choices: ["once", "session", "deny"],
    title: "Allow?",
    risk: "execute",
    href: "/api/runs/r1/approvals/ap_c1",
  });
});

test("[W4, W5] a request is settled once: by its answer, or by the end of its run", () => {
  const answered = emitted(
    ...BEGIN,
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.approvalGiven("c1", "deny"),
    d.approvalGiven("c1", "once"),
    d.toolDone("c1", "denied"),
  );
  const settled = answered.filter((frame) => frame.event === "received").slice(2);
  assert.deepEqual(
    settled.map(({ payload }) => payload),
    [{ request_id: "ap_c1", status: "denied", run_id: "r1", choice: "deny", by: "person" }],
  );
  const end = answered.at(-1);
  assert.ok(end?.event === "tool_end");
  assert.deepEqual([end.result.ok, end.result["status"]], [false, "denied"]);

  const left = emitted(
    ...BEGIN,
    d.intent("c1"),
    d.toolStarted("c1"),
    d.clarifyAsked("cl_1", null),
    d.recovery(1),
    d.outcomeUnknown("c1"),
    d.done(9, "cancelled"),
  );
  assert.deepEqual(kinds(left).slice(-6), [
    "received handover",
    "received unknown_outcome",
    "tool_end",
    "received clarify",
    "received unknown_outcome",
    "turn_end",
  ]);
  assert.deepEqual(
    left.slice(-3, -1).map((frame) => frame.event === "received" && frame.payload?.["status"]),
    ["cancelled", "cancelled"],
  );
});

test("[W1] whatever cuts a run short, nothing is left running", () => {
  const frames = emitted(
    ...BEGIN,
    d.turnStarted(1),
    d.thought("re1", "cut"),
    d.recovery(1),
    d.superseded(1, 1),
    d.turnStarted(1, 2),
    d.thought("re2", "again"),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.done(12, "failed"),
  );
  assert.deepEqual(kinds(frames).slice(2), [
    "think_start",
    "received handover",
    "think_end",
    "think_start",
    "tool_start",
    "think_end",
    "tool_end",
    "turn_end",
  ]);
  const cut = frames[4];
  assert.ok(cut?.event === "think_end" && cut.superseded === true && cut.text === undefined);
  const end = frames.at(-1);
  assert.ok(end?.event === "turn_end");
  assert.deepEqual(end.result, { ok: false, status: "failed", error: "It was boom." });
});

test("[W1] a call that runs again after a crash is the same node, and its first result stands", () => {
  const frames = emitted(
    ...BEGIN,
    d.intent("c1"),
    d.toolStarted("c1"),
    d.recovery(1),
    d.intent("c1"),
    d.toolStarted("c1", 2),
    d.toolDone("c1"),
    d.toolDone("c1", "failed"),
  );
  const tools = frames.filter(({ event }) => event.startsWith("tool_"));
  assert.deepEqual(kinds(tools), ["tool_start", "tool_end"]);
});

test("[W1] what was planned before its run began is told when it begins, or never", () => {
  const direct = [d.userMessage("/undo"), d.queued, d.intent("direct.c0", "direct")];
  assert.deepEqual(kinds(emitted(...direct)), ["received message"]);
  const begun = emitted(
    ...direct,
    d.started(),
    d.toolStarted("direct.c0"),
    d.toolDone("direct.c0"),
  );
  assert.deepEqual(kinds(begun).slice(1), ["turn_start", "tool_start", "tool_end"]);
  assert.deepEqual(begun[2]?.event === "tool_start" && begun[2].args, { command: "ls" });
  const nodes = hudDialect.begin();
  const never = emit(
    seal("r1", [...direct, d.status("cancelling"), d.done(5, "cancelled")]),
    nodes,
  );
  assert.deepEqual(kinds(never), ["received message", "received stop"]);
  assert.deepEqual(nodes, hudDialect.begin(), "and forgotten");
});

test("[W4] a subagent's turn is nested in the call that asked for it; its requests are seen", () => {
  const child = "r1.c1";
  const nodes = hudDialect.begin();
  const frames = emit(
    sealAll([
      ...[...BEGIN, d.intent("c1"), d.toolStarted("c1"), delegated].map((draft) => ({
        logId: "r1",
        draft,
      })),
      ...[
        d.userMessage("go"),
        childQueued("r1"),
        d.started(),
        d.intent("c1"),
        d.approvalAsked("c1"),
        d.userMessage("hurry", "steer"),
        d.status("cancelling", "its parent was stopped"),
      ].map((draft) => ({ logId: child, draft })),
      ...[d.toolDone("c1", "cancelled"), d.done(8, "cancelled")].map((draft) => ({
        logId: "r1",
        draft,
      })),
      { logId: child, draft: d.done(8, "cancelled") },
    ]),
    nodes,
  );
  assert.deepEqual(kinds(frames), [
    "received message",
    "turn_start",
    "tool_start",
    "turn_start",
    "tool_start",
    "received approval",
    "received message",
    "received stop",
    "tool_end",
    "turn_end",
    "tool_end",
    "received approval",
    "turn_end",
  ]);
  const nested = frames[3];
  assert.ok(nested?.event === "turn_start");
  const { correlationId, parentId, label } = nested;
  assert.deepEqual(
    { correlationId, parentId, label },
    { correlationId: child, parentId: "call_r1.c1", label: "subagent: Look around" },
  );
  assert.equal(frames[4]?.parentId, child);
  assert.equal(frames[5]?.parentId, child);
  assert.equal(frames[7]?.parentId, child, "its own stop, not the session's");
  const ended = frames.at(-1);
  assert.equal(ended?.parentId, "call_r1.c1");
  assert.deepEqual(nodes, hudDialect.begin(), "nothing is remembered of what has ended");
});

test("[W4] a subagent whose call nobody knows is nested in its parent's turn", () => {
  const frames = emit(seal("kid", [childQueued("r1"), d.started()]));
  assert.equal(frames[0]?.parentId, "r1");
});

test("[W1] a subagent that never came to be is forgotten with its parent", () => {
  const nodes = hudDialect.begin();
  emit(seal("r1", [...BEGIN, d.intent("c1"), delegated, d.toolDone("c1"), d.done(7)]), nodes);
  assert.deepEqual(nodes, hudDialect.begin());
});

test("[W4] what a person changed before allowing it is told, and the result is about that", () => {
  const read = (path: string): AnyDraft["payload"] => ({
    tool: "read",
    arguments: { path },
    workspace: "/w",
  });
  const intent = d.intent("c1") as { type: string; payload: Record<string, unknown> };
  const frames = emitted(
    ...BEGIN,
    { ...intent, payload: { ...intent.payload, name: "read", plan: read("/w/a") } },
    {
      type: "tool.replanned",
      payload: { call_id: "c1", plan: read("/w/b"), plan_hash: "e", by: "person" },
    },
    d.toolDone("c1", "failed"),
  );
  assert.deepEqual(kinds(frames).slice(2), ["tool_start", "received replanned", "tool_end"]);
  const [, , , changed, end] = frames;
  assert.ok(changed?.event === "received" && end?.event === "tool_end");
  assert.deepEqual(changed.payload, {
    correlationId: "call_r1.c1",
    tool: "read",
    args: { path: "/w/b" },
    by: "person",
  });
  assert.deepEqual(end.result["file"], {
    path: "/w/b",
    viewerPath: "b",
    area: { startLine: 0, endLine: 0 },
  });
});

test("[W1] a hidden thought is told without its words", () => {
  const thoughtDone = d.thoughtDone("re1", "quiet") as { payload: Record<string, unknown> };
  const hidden = {
    type: "reasoning.done",
    payload: { ...thoughtDone.payload, visibility: "hidden" },
  };
  const end = emitted(...BEGIN, d.thought("re1", "q"), hidden).at(-1);
  assert.ok(end?.event === "think_end" && end.text === undefined && end.bytes === 5);
  const long = emitted(
    ...BEGIN,
    d.thought("re1", "q"),
    d.thoughtDone("re1", "w".repeat(20_000)),
  ).at(-1);
  assert.ok(long?.event === "think_end" && long.truncated === true && long.text?.length === 16_384);
  assert.deepEqual(long.full, {
    bytes: 20_000,
    href: "/api/runs/r1/events?after_seq=4",
    eventId: "r1:5",
  });
  const whole = emitted(...BEGIN, d.thoughtDone("re1", "at once"));
  assert.deepEqual(
    kinds(whole).slice(2),
    ["think_start", "think_end"],
    "one without the other never",
  );
});

test("[W2] every event type has an entry", () => {
  assert.ok(EVENT_TYPES.every((type) => handlerOf(hudDialect.table, type)));
});
