import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../../test/support/drafts.ts";
import { seal, sealAll, sessions, type AnyDraft } from "../../../../test/support/events.ts";
import type { Draft, RunEvent } from "../../../kernel/events/events.ts";
import { applyEvent, emptyRun, type RunState } from "../../../kernel/state/run/state.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import { terminalDialect, waitingIn, type TerminalReply } from "./terminal.ts";

type Emitted = { seq: number; reply: TerminalReply };

function emit(events: readonly RunEvent[], state = terminalDialect.begin()): Emitted[] {
  return events.flatMap((event) =>
    encode(terminalDialect, event, state, { replay: false }).map((reply) => ({
      seq: event.session_seq,
      reply,
    })),
  );
}
const emitted = (...drafts: AnyDraft[]) =>
  emit(seal("r1", [d.userMessage("go"), d.queued, ...drafts]));
const brief = (all: Emitted[]) => all.map(({ reply }) => [reply.finish_reason, reply.text]);

test("[W1, W6] a run that ends is told once, with its message, its id and its result", () => {
  const all = emitted(d.started(), d.said("m1", "Aye."), d.done(6, "completed", "Aye."));
  assert.deepEqual(all, [
    {
      seq: 5,
      reply: {
        type: "message",
        role: "assistant",
        message_id: "m_start",
        run_id: "r1",
        text: "Aye.",
        finish_reason: "stop",
      },
    },
  ]);
});

test("[W6] a run that ends otherwise says so, with what there is of an answer", () => {
  const partly = [
    d.started(),
    d.turnStarted(1),
    d.token("m1", "Half an "),
    d.token("m1", "answer"),
  ];
  assert.deepEqual(brief(emitted(...partly, d.done(9, "cancelled"))), [
    ["cancelled", "Half an answer\n\nThe run was stopped."],
  ]);
  assert.deepEqual(brief(emitted(...partly, d.failed("boom"), d.done(9, "failed"))), [
    ["error", "Half an answer\n\nIt was boom."],
  ]);
  const again = [d.superseded(1), d.turnStarted(1, 2), d.token("m2", "Whole")];
  assert.deepEqual(brief(emitted(...partly, ...again, d.done(9, "cancelled"))), [
    ["cancelled", "Whole\n\nThe run was stopped."],
  ]);
  assert.deepEqual(brief(emitted(d.done(3, "expired"))).flat()[0], "error");
  assert.deepEqual(brief(emitted(d.done(3))), [["stop", "(The run ended without a text.)"]]);
  const step = [d.said("m1", "First."), d.turnStarted(2)];
  assert.deepEqual(brief(emitted(...step, d.done(9, "cancelled", "First."))), [
    ["cancelled", "First.\n\nThe run was stopped."],
  ]);
});

test("[W4] an approval is asked in words, with the words that answer it", () => {
  const [first] = emitted(d.said("m1", "Let me look."), d.intent("c1"), d.approvalAsked("c1"));
  assert.equal(first?.reply.finish_reason, "needs_input");
  assert.equal(first.reply.request_id, "ap_c1");
  assert.equal(
    first.reply.text,
    "Let me look.\n\nAllow?\n  ls\nReply yes, session (yes, and the same again in this session) or no.",
  );
  const [always] = emitted(d.intent("c1"), d.allowAlways("c1"));
  assert.match(always?.reply.text ?? "", /Reply yes or always \(from now on: exec ls\)\.$/);
});

test("[W4] what is allowed is what is seen: nothing invisible, nothing cut silently", () => {
  const asked = d.approvalAsked("c1") as Extract<Draft, { type: "approval.requested" }>;
  const asking = (prompt: string) =>
    emitted({ ...asked, payload: { ...asked.payload, prompt } })[0];
  assert.match(asking("rm \u202egpj.x\u0007")?.reply.text ?? "", /rm \\u\{202e\}gpj\.x\\u\{7\}/);
  const text = asking("x".repeat(20_000))?.reply.text ?? "";
  assert.match(text, /3616 characters more: look at it in another window first/);
});

test("[W4] questions and unknown outcomes are asked too", () => {
  assert.deepEqual(brief(emitted(d.clarifyAsked("cl", null))), [
    ["needs_input", "Which one?\nReply “left”, “right” or in your own words."],
  ]);
  const open = d.clarifyAsked("cl", null) as Extract<Draft, { type: "clarify.requested" }>;
  const choice = { ...open, payload: { ...open.payload, input_mode: "choice" as const } };
  assert.match(emitted(choice)[0]?.reply.text ?? "", /\nReply “left” or “right”\.$/);
  const free = { ...open, payload: { ...open.payload, choices: [] } };
  assert.match(emitted(free)[0]?.reply.text ?? "", /\nReply in your own words\.$/);
  const [unknown] = emitted(d.intent("c1"), d.toolStarted("c1"), d.outcomeUnknown("c1"));
  assert.match(
    unknown?.reply.text ?? "",
    /^Did “exec” happen\?\n {2}The runner was lost\.\nReply check/,
  );
  assert.equal(unknown?.reply.request_id, "un_c1");
});

test("[W4] of several requests one is asked at a time, and the next when it is answered", () => {
  const asked = [d.intent("c1"), d.intent("c2"), d.approvalAsked("c1"), d.approvalAsked("c2")];
  const ids = (all: Emitted[]) => all.map(({ reply }) => reply.request_id);
  assert.deepEqual(ids(emitted(...asked)), ["ap_c1"]);
  assert.deepEqual(ids(emitted(...asked, d.approvalGiven("c1", "once"))), ["ap_c1", "ap_c2"]);
  assert.deepEqual(ids(emitted(...asked, d.approvalGiven("c2", "once"))), ["ap_c1"]);
  const both = [d.approvalGiven("c1", "once"), d.approvalGiven("c2", "deny")];
  assert.deepEqual(ids(emitted(...asked, ...both)), ["ap_c1", "ap_c2"]);
  const stopped = [d.status("cancelling"), d.approvalGiven("c1", "deny")];
  assert.deepEqual(
    ids(emitted(...asked, ...stopped)),
    ["ap_c1"],
    "a run that is stopped asks nothing",
  );
});

test("[W4] requests are asked in the order in which the journal takes answers to them", () => {
  const at = (id: string, seconds: number): RunEvent => {
    const [event] = seal("r1", [d.approvalAsked(id)]);
    return { ...(event as RunEvent), created_at: seconds };
  };
  const state = terminalDialect.begin();
  const ids = [at("c2", 5), at("c10", 5), at("c1", 6)].flatMap((event) =>
    emit([event], state).map(({ reply }) => reply.request_id),
  );
  assert.deepEqual(ids, ["ap_c2", "ap_c10"], "by time, then by id");
});

function withChild(...inner: Draft[]): RunEvent[] {
  const child = { subagent_id: "k", child_run_id: "k", call_id: "c1", title: "Scout" };
  const queued = d.queued as Extract<Draft, { type: "run.queued" }>;
  const ofChild = { ...queued.payload, parent_run_id: "r1", root_run_id: "r1", depth: 1 };
  return sealAll([
    { logId: "r1", draft: d.userMessage("go") },
    { logId: "r1", draft: d.queued },
    { logId: "r1", draft: d.intent("c1") },
    {
      logId: "r1",
      draft: { type: "subagent.started", payload: { ...child, prompt: "", depth: 1 } },
    },
    { logId: "k", draft: d.userMessage("scout") },
    { logId: "k", draft: { type: "run.queued", payload: ofChild } },
    ...inner.map((draft) => ({ logId: "k", draft })),
  ]);
}

test("[W4] a subagent's request is its run's request; its words and its end are nobody's", () => {
  const asked = [d.said("m1", "inner"), d.intent("c9"), d.approvalAsked("c9")];
  const [reply, ...rest] = emit(withChild(...asked));
  assert.deepEqual(rest, []);
  assert.deepEqual([reply?.reply.run_id, reply?.reply.request_id], ["r1", "ap_c9"]);
  assert.match(reply?.reply.text ?? "", /^\[Scout\] Allow\?/);
  assert.deepEqual(emit(withChild(d.said("m1", "inner"), d.done(4))), []);
});

test("[W4] what a subagent asked goes with it", () => {
  const state = terminalDialect.begin();
  emit(withChild(d.intent("c9"), d.approvalAsked("c9")), state);
  assert.equal(waitingIn(state, "r1")?.reply.request_id, "ap_c9");
  const gone = terminalDialect.begin();
  emit(withChild(d.intent("c9"), d.approvalAsked("c9"), d.done(5, "failed")), gone);
  assert.equal(waitingIn(gone, "r1"), undefined);
  assert.deepEqual(gone.subagents, {});
});

test("[W1, W4] a subagent that ends after the run it was stopped with is nobody's reply", () => {
  const ids = { subagent_id: "k", child_run_id: "k", call_id: "c1", title: "Scout" };
  const over = {
    type: "subagent.completed",
    payload: { ...ids, status: "cancelled", summary: "" },
  } as const;
  const begun = withChild(d.started(), d.turnStarted(1)).map(({ run_id, type, payload }) => ({
    logId: run_id,
    draft: { type, payload } as Draft,
  }));
  const all = emit(
    sealAll([
      ...begun,
      ...[d.status("cancelling"), over, d.done(8, "cancelled")].map((draft) => ({
        logId: "r1",
        draft,
      })),
      { logId: "k", draft: d.done(6, "cancelled") },
    ]),
  );
  assert.deepEqual(
    all.map(({ reply }) => [reply.run_id, reply.finish_reason]),
    [["r1", "cancelled"]],
  );
});

test("[W1, W2, W3] any session: each event is told once at most, whole or resumed, and forgotten at the end", () => {
  fc.assert(
    fc.property(sessions, fc.nat(), (events, at) => {
      const all = emit(events);
      assert.equal(new Set(all.map(({ seq }) => seq)).size, all.length);
      const state = terminalDialect.begin();
      const cut = at % (events.length + 1);
      const before = emit(events.slice(0, cut), state);
      const kept = JSON.parse(JSON.stringify(state)) as typeof state;
      assert.deepEqual([...before, ...emit(events.slice(cut), kept)], all);
      for (const { reply } of all) assert.ok(reply.text.trim() !== "" && reply.run_id !== "s1");
      const ended = events.filter(({ type }) => type === "done");
      const finals = all.filter(({ reply }) => reply.request_id === undefined);
      assert.deepEqual(
        finals.map(({ reply }) => reply.run_id),
        ended.map(({ run_id }) => run_id),
      );
      const open = Object.keys(kept.runs).filter((id) => ended.some(({ run_id }) => run_id === id));
      assert.deepEqual(open, [], "what has ended is forgotten");
    }),
  );
});

test("[W4] any session: while something is pending, what was told last of its run asks for it", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const state = terminalDialect.begin();
      const last = new Map<string, TerminalReply>();
      const runs = new Map<string, RunState>();
      for (const event of events) {
        const { run_id } = event;
        for (const { reply } of emit([event], state)) last.set(reply.run_id, reply);
        if (run_id === event.session_id) continue;
        const run = applyEvent(runs.get(run_id) ?? emptyRun(run_id), event);
        runs.set(run_id, run);
        const pending = Object.keys(run.pending);
        if (pending.length === 0 || event.type === "done") continue;
        assert.ok(pending.includes(last.get(run_id)?.request_id ?? ""), run_id);
        assert.deepEqual(waitingIn(state, run_id)?.reply, last.get(run_id));
      }
    }),
  );
});
