// The console's dialect, tools and people: the document's own examples and what its real client reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertLike,
  BEGUN,
  call,
  inRun,
  only,
  result,
  emitted,
} from "../../../../test/support/console/frames.ts";
import * as d from "../../../../test/support/drafts.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { chosenFrom } from "./requests.ts";
import type { ConsoleFrame } from "./console.ts";

test("[W6] a tool's start and end carry the document's fields and the client's", () => {
  const input = { pattern: "api_server" };
  const frames = emitted(
    inRun(...BEGUN, ...call("search_files", input), result("search_files", null, "12 matches")),
  );
  const started = only(frames, "tool.started");
  assertLike(started, {
    type: "tool.started",
    payload: { tool_call_id: "run_987.tool_1", tool_name: "search_files", arguments: input },
  });
  assert.deepEqual(started.payload["tool_args"], input);
  assert.equal(started.payload["preview"], "Search for api_server");
  const done = only(frames, "tool.completed");
  assertLike(done, {
    type: "tool.completed",
    payload: { tool_call_id: "run_987.tool_1", duration_ms: 944, summary: "12 matches" },
  });
  const { tool_name, tool_args, duration, result_preview, is_error, status } = done.payload;
  assert.deepEqual(
    { tool_name, tool_args, duration, result_preview, is_error, status },
    {
      tool_name: "search_files",
      tool_args: input,
      duration: 0.944,
      result_preview: "12 matches",
      is_error: false,
      status: "completed",
    },
  );
});

test("[W6] previews are bounded, also of results that have no output and of huge arguments", () => {
  const input = { content: "x".repeat(100_000) };
  const frames = emitted(inRun(...BEGUN, ...call("write", input), result("write", input)));
  assert.deepEqual(only(frames, "tool.started").payload["arguments"], input, "whole, once");
  const { result_preview, summary, tool_args } = only(frames, "tool.completed").payload;
  assert.ok((result_preview as string).length <= 200);
  assert.ok((summary as string).length <= 120);
  assert.ok(JSON.stringify(tool_args).length < 1_000);
});

test("[W6] a failed or denied call says so; one without a word says its status", () => {
  const frames = emitted([
    ...inRun(...BEGUN, d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1", "failed")),
    ...inRun(d.intent("c2"), d.toolDone("c2", "denied")),
  ]);
  const ends = frames.filter(({ type }) => type === "tool.completed").map(({ payload }) => payload);
  assert.deepEqual(
    ends.map(({ is_error, status, summary }) => ({ is_error, status, summary })),
    [
      { is_error: true, status: "failed", summary: "exit 1" },
      { is_error: true, status: "denied", summary: "denied" },
    ],
  );
  const silent = emitted(inRun(...BEGUN, ...call("noop", {}), result("noop", null)));
  assert.equal(only(silent, "tool.completed").payload["summary"], "completed");
});

test("[W6] a to-do list can be read from the tool's result, however long, and from its own event", () => {
  const items = Array.from({ length: 30 }, (_, at) => ({
    id: `inspect-${at}`,
    content: "Inspect Hermes repo",
    status: "completed" as const,
  }));
  const frames = emitted(
    inRun(
      ...BEGUN,
      ...call("todo", { items }),
      { type: "todo.updated", payload: { items } },
      result("todo", { todos: items }),
    ),
  );
  const { result: whole, result_preview } = only(frames, "tool.completed").payload;
  assert.deepEqual(JSON.parse(whole as string), { todos: items });
  assert.deepEqual(JSON.parse(result_preview as string), { todos: items });
  assertLike(only(frames, "todo.updated"), {
    type: "todo.updated",
    payload: { items, todos: items },
  });
  const broken = emitted(inRun(...BEGUN, ...call("todo", {}), result("todo", "nothing")));
  assert.equal(only(broken, "tool.completed").payload["result_preview"], "nothing");
});

const APPROVAL: Draft = {
  type: "approval.requested",
  payload: {
    approval_id: "human_1",
    call_id: "tool_1",
    title: "Approve terminal command",
    prompt: "Allow Hermes to run git status?",
    risk: "execute",
    plan: { tool: "exec", arguments: { command: "git status" }, workspace: "/repo" },
    plan_hash: d.PLAN_HASH,
    choices: ["once", "session", "always", "deny"],
    reason: "Commands ask.",
    always: { effect: "allow", tool: "exec", argv: ["git", "status"] },
    expires_at: 1_774_836_900,
  },
};

test("[W6] an approval is asked for in the document's words and settled with who decided", () => {
  const given = d.approvalGiven("tool_1", "session") as Extract<
    Draft,
    { type: "approval.resolved" }
  >;
  const frames = emitted(
    inRun(...BEGUN, APPROVAL, {
      ...given,
      payload: { ...given.payload, approval_id: "human_1", by: "hud" },
    }),
  );
  const asked = only(frames, "approval.requested");
  assertLike(asked, {
    type: "approval.requested",
    payload: {
      request_id: "human_1",
      title: "Approve terminal command",
      prompt: "Allow Hermes to run git status?",
      choices: ["approve_once", "approve_session", "approve_always", "deny"],
    },
  });
  const { kind, tool_name, command, message, metadata } = asked.payload;
  const { expires_at, expires_at_unix } = asked.payload;
  assert.deepEqual([kind, tool_name], ["approval", "exec"]);
  assert.equal(command, "Allow Hermes to run git status?");
  assert.equal(message, "Allow Hermes to run git status?");
  assert.equal((metadata as Record<string, unknown>)["description"], "Commands ask.");
  assert.deepEqual([expires_at, expires_at_unix], ["2026-03-30T02:15:00.000Z", 1_774_836_900]);
  assertLike(only(frames, "approval.resolved"), {
    type: "approval.resolved",
    payload: {
      request_id: "human_1",
      decision: "session",
      choice: "approve_session",
      status: "approved",
      by: "hud",
    },
  });
});

test("[W6] only offered choices are shown", () => {
  const frames = emitted(inRun(...BEGUN, d.approvalAsked("c1")));
  assert.deepEqual(only(frames, "approval.requested").payload["choices"], [
    "approve_once",
    "approve_session",
    "deny",
  ]);
});

test("[W4, W6] a question, and an outcome nobody knows, are asked as clarify.requested", () => {
  const choices = [
    "A local desktop app",
    "A web app you can open in a browser",
    "A terminal UI (TUI)",
    "Something minimal: just a chat window",
  ];
  const question = "What kind of GUI do you want?";
  const asked: Draft = {
    type: "clarify.requested",
    payload: {
      clarify_id: "human_2",
      call_id: null,
      question,
      choices,
      input_mode: "choice_or_text",
      expires_at: null,
    },
  };
  const frames = emitted(
    inRun(
      ...BEGUN,
      asked,
      d.intent("c1"),
      d.toolStarted("c1"),
      d.outcomeUnknown("c1"),
      d.clarifyGiven("un_c1", "c1", "skip"),
      d.clarifyGiven("human_2", null, "A terminal UI (TUI)"),
    ),
  );
  const [first, second] = frames.filter(({ type }) => type === "clarify.requested");
  assertLike(first as ConsoleFrame, {
    type: "clarify.requested",
    payload: { request_id: "human_2", prompt: question, question, choices, kind: "clarify" },
  });
  assert.equal(typeof first?.payload["title"], "string");
  assert.equal(first?.payload["message"], `${question} (${choices.join(", ")})`);
  assertLike(second as ConsoleFrame, {
    type: "clarify.requested",
    payload: {
      request_id: "un_c1",
      kind: "clarify",
      request_kind: "unknown_outcome",
      message: "The runner was lost. (check, retry, mark_done, skip)",
      choices: ["check", "retry", "mark_done", "skip"],
      tool_name: "exec",
      tool_call_id: "run_987.c1",
    },
  });
  const settled = frames.filter(({ type }) => type === "clarify.resolved");
  assert.deepEqual(
    settled.map(({ payload }) => [payload["kind"], payload["request_kind"], payload["response"]]),
    [
      ["clarify", "unknown_outcome", "skip"],
      ["clarify", "clarify", "A terminal UI (TUI)"],
    ],
  );
});

test("[W6] what is typed names a choice in any case, with spaces for underscores", () => {
  const choices = ["check", "mark_done", "A b", "a_b"];
  for (const [typed, chosen] of [
    ["check", "check"],
    [" CHECK ", "check"],
    ["mark done", "mark_done"],
    ["Mark_Done", "mark_done"],
    ["a_b", "a_b"],
    ["A B", "A B"], // names two
    ["markdone", "markdone"],
    ["", ""],
  ] as const) {
    assert.equal(chosenFrom(choices, typed), chosen, typed);
  }
  assert.equal(chosenFrom([], "Anything"), "Anything");
});

test("[W6] a checkpoint has the document's shape", () => {
  const frames = emitted(inRun(...BEGUN, d.checkpoint("tool_1")));
  assertLike(only(frames, "checkpoint.created"), {
    type: "checkpoint.created",
    payload: {
      checkpoint_id: "cp_tool_1",
      label: "Before a write",
      created_at: "1970-01-01T00:16:44.000Z",
      session_id: "sess_123",
      run_id: "run_987",
      file_count: 1,
    },
  });
});
