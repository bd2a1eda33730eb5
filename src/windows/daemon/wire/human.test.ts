// What waits for a person, in the daemon's words: nothing is left out, whoever asks.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  after,
  begun,
  child,
  delegated,
  kid,
  on,
  planned,
  r1,
  said,
  stepStarted,
  emit,
  lastParam,
} from "../../../../test/support/daemon/emitted.ts";
import * as d from "../../../../test/support/drafts.ts";
import type { AnyDraft } from "../../../../test/support/events.ts";

test("[W4] an approval is asked with its call, and taken back with who answered", () => {
  const emitted = after(
    ...r1(
      d.intent("c1"),
      d.approvalAsked("c1"),
      d.status("awaiting_approval"),
      d.approvalGiven("c1", "once"),
      d.approvalGiven("c1", "deny"),
    ),
  );
  assert.deepEqual(emitted.slice(1).map(said), [
    [
      "permission.request",
      { tool: "exec", description: "ls", requestId: "ap_c1", toolUseId: "r1.c1" },
    ],
    ["stream.heartbeat", { phase: "awaiting_approval" }],
    ["permission.response", { requestId: "ap_c1", approved: true, via: "person" }],
  ]);
  const by = (by: string, status = "approved"): AnyDraft => {
    const given = d.approvalGiven("c1", "once") as Extract<AnyDraft, { type: "approval.resolved" }>;
    return { type: given.type, payload: { ...given.payload, by, status } };
  };
  const via = (draft: AnyDraft) =>
    after(...r1(d.intent("c1"), d.approvalAsked("c1"), draft)).at(-1)?.params;
  assert.deepEqual(via(by("daemon")), { requestId: "ap_c1", approved: true, via: "websocket" });
  assert.deepEqual(via(by("runner", "expired")), {
    requestId: "ap_c1",
    approved: false,
    via: "expired",
  });
});

test("[W4] a question says what each button answers", () => {
  const described = (draft: AnyDraft) => String(lastParam("description", ...r1(draft)));
  const two = d.clarifyAsked("q1", null);
  assert.equal(lastParam("tool", ...r1(two)), "clarify");
  assert.equal(
    described(two),
    "Which one? [left | right] (Approve answers “left”, Deny answers “right”.)",
  );
  const free = d.clarifyAsked("q1", null) as Extract<AnyDraft, { type: "clarify.requested" }>;
  const open = described({ type: free.type, payload: { ...free.payload, choices: [] } });
  assert.equal(open, "Which one? (Approve answers “yes”, Deny answers “no”.)");
  const many = described({
    type: free.type,
    payload: { ...free.payload, choices: ["a", "b", "c"] },
  });
  assert.match(many, /Approve answers “a”, Deny answers “None of these\.”/);
  const unknown = after(...r1(d.intent("c1"), d.toolStarted("c1"), d.outcomeUnknown("c1"))).at(-1);
  assert.deepEqual(said(unknown), [
    "permission.request",
    {
      tool: "exec",
      description:
        "The runner was lost. [check | retry | mark_done | skip] (Approve answers “check”, Deny answers “skip”.)",
      requestId: "un_c1",
      toolUseId: "r1.c1",
    },
  ]);
  const answers = (response: string) =>
    lastParam("approved", ...r1(two, d.clarifyGiven("q1", null, response)));
  assert.deepEqual([answers("left"), answers("right"), answers("both")], [true, false, true]);
});

test("[W4] a budget asks, and says what was used up", () => {
  const asked = d.clarifyAsked("bu_r1_1", null) as Extract<AnyDraft, { type: "clarify.requested" }>;
  const question: AnyDraft = {
    type: asked.type,
    payload: { ...asked.payload, question: "Used 9. Go on?", choices: ["continue", "stop"] },
  };
  const emitted = after(
    ...r1(
      question,
      d.status("awaiting_clarify", "budget"),
      d.clarifyGiven("bu_r1_1", null, "stop"),
    ),
  );
  assert.deepEqual(emitted.map(said), [
    [
      "permission.request",
      {
        tool: "budget",
        description:
          "Used 9. Go on? [continue | stop] (Approve answers “continue”, Deny answers “stop”.)",
        requestId: "bu_r1_1",
      },
    ],
    [
      "stream.budget_exhausted",
      {
        sessionId: "s1",
        reason: "Used 9. Go on?",
        elapsedMs: 2_000,
        extensionCount: 0,
        softLimitReached: true,
      },
    ],
    ["permission.response", { requestId: "bu_r1_1", approved: false, via: "person" }],
  ]);
});

test("[W4] of a subagent only its beginning, its end and what it asks is told, on the call it works for", () => {
  const inside = [
    ...kid(
      d.userMessage("look"),
      d.queued,
      d.started(),
      d.turnStarted(1),
      d.token("m", "in"),
      d.thought("r", "in"),
      planned,
      stepStarted,
    ),
    ...kid(
      d.intent("c1"),
      d.approvalAsked("c1"),
      d.status("awaiting_approval"),
      d.toolStarted("c1"),
      d.toolDone("c1"),
      d.failed("boom"),
      d.done(13, "failed"),
    ),
  ];
  const ended: AnyDraft = {
    type: "subagent.completed",
    payload: { ...child, status: "failed", summary: "" },
  };
  const { frames, state } = emit(
    ...begun,
    ...delegated(),
    ...inside,
    ...r1(ended, d.toolDone("c1"), d.done(9)),
  );
  assert.deepEqual(
    frames.slice(2).map(({ event }) => said(event)),
    [
      ["stream.tool_use", { id: "r1.c1", name: "exec", summary: "Run ls" }],
      ["stream.subagent.start", { agentType: "Scout", prompt: "look" }],
      [
        "permission.request",
        { tool: "exec", description: "ls", requestId: "ap_c1", toolUseId: "r1.c1" },
      ],
      ["stream.subagent.end", { agentType: "Scout" }],
      ["stream.tool_completed", { id: "r1.c1", name: "exec", durationMs: 3, isError: false }],
      ["stream.turn_completed", frames.at(-1)?.event.params],
    ],
  );
  assert.deepEqual([state.runs, state.children, state.calls, state.requests], [{}, {}, {}, {}]);
});

test("[W4] a subagent's subagent asks on the same call, and where two wait the second is shown again", () => {
  const grandchild = { ...child, subagent_id: "baby", child_run_id: "baby" };
  const two = [
    ...delegated(),
    ...kid(d.userMessage("x"), d.queued, d.started()),
    ...delegated(grandchild, kid),
  ];
  const asking = [
    ...kid(d.approvalAsked("k"), d.status("awaiting_approval")),
    ...on("baby")(
      d.userMessage("y"),
      d.queued,
      d.started(),
      d.intent("b"),
      d.approvalAsked("b"),
      d.status("awaiting_approval"),
    ),
  ];
  const emitted = after(
    ...two,
    ...asking,
    ...on("baby")(d.approvalGiven("b", "deny"), d.status("running")),
  );
  assert.deepEqual(emitted.slice(2).map(said), [
    [
      "permission.request",
      { tool: "exec", description: "ls", requestId: "ap_k", toolUseId: "r1.c1" },
    ],
    [
      "permission.request",
      { tool: "exec", description: "ls", requestId: "ap_b", toolUseId: "r1.c1" },
    ],
    ["permission.response", { requestId: "ap_b", approved: false, via: "person" }],
    [
      "permission.request",
      { tool: "exec", description: "ls", requestId: "ap_k", toolUseId: "r1.c1" },
    ],
  ]);
});
