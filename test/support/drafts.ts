// Drafts as a runner writes them, with defaults for everything that a test does not set.
import type { Draft, PayloadOf } from "../../src/kernel/events/events.ts";
import { NO_USAGE } from "../../src/kernel/state/run/state.ts";
import { controlsIn } from "../../src/kernel/state/run/status.ts";

export const PLAN_HASH = "f".repeat(64);

export const userMessage = (text: string, mode: "start" | "queue" | "steer" = "start"): Draft => ({
  type: "message.user",
  payload: { message_id: `m_${mode}`, text, mode, attachments: [] },
});
export const queued: Draft = {
  type: "run.queued",
  payload: {
    message_id: "m_start",
    model: "demo/demo",
    workspace: "/w",
    profile: "default",
    source: "test",
    toolsets: [],
    instructions: null,
    metadata: {},
    parent_run_id: null,
    root_run_id: "r1",
    depth: 0,
  },
};
export const started = (runnerId = "runner_1"): Draft => ({
  type: "run.started",
  payload: {
    runner_id: runnerId,
    model: "demo/demo",
    workspace: "/w",
    profile: "default",
    toolsets: [],
    sandbox: "none",
    controls: controlsIn("running"),
  },
});
export const turnStarted = (index: number, attempt = 1): Draft => ({
  type: "turn.started",
  payload: { turn_id: `t${index}.${attempt}`, index, attempt, model: "demo/demo" },
});
export const turnCompleted = (index: number, attempt = 1): Draft => ({
  type: "turn.completed",
  payload: { turn_id: `t${index}.${attempt}`, finish_reason: "stop" },
});
export const superseded = (index: number, attempt = 1): Draft => ({
  type: "turn.superseded",
  payload: { turn_id: `t${index}.${attempt}`, reason: "runner_lost", message: "Asked again." },
});
export const token = (message_id: string, delta: string): Draft => ({
  type: "token.delta",
  payload: { message_id, delta, content_type: "text" },
});
export const thought = (reasoning_id: string, delta: string): Draft => ({
  type: "reasoning.delta",
  payload: { reasoning_id, delta, visibility: "visible" },
});
export const thoughtDone = (reasoning_id: string, text: string): Draft => ({
  type: "reasoning.done",
  payload: { reasoning_id, text, duration_ms: 5, visibility: "visible" },
});
export const said = (message_id: string, text: string, turn_id = "t1.1"): Draft => ({
  type: "message.completed",
  payload: { message_id, turn_id, text, tool_calls: [], finish_reason: "stop" },
});
export const intent = (call_id: string, turn_id = "t1.1"): Draft => ({
  type: "tool.intent",
  payload: {
    call_id,
    turn_id,
    index: 0,
    provider_call_id: `p_${call_id}`,
    name: "exec",
    label: "Run ls",
    risk: "execute",
    replay: "ask",
    plan: { tool: "exec", arguments: { command: "ls" }, workspace: "/w" },
    plan_hash: PLAN_HASH,
  },
});
export const toolStarted = (call_id: string, attempt = 1): Draft => ({
  type: "tool.started",
  payload: { call_id, name: "exec", arguments: { command: "ls" }, attempt },
});
export const printed = (call_id: string, delta: string): Draft => ({
  type: "tool.updated",
  payload: { call_id, channel: "stdout", delta },
});
export const toolDone = (
  call_id: string,
  status: PayloadOf<"tool.done">["status"] = "completed",
): Draft => ({
  type: "tool.done",
  payload: {
    call_id,
    name: "exec",
    ok: status === "completed" || status === "marked_done",
    status,
    result: { code: 0 },
    output: { head: status, tail: "", bytes: status.length, sha256: null, truncated: false },
    exit_code: status === "completed" ? 0 : null,
    duration_ms: 3,
    error: status === "failed" ? { code: "exit", message: "exit 1" } : null,
  },
});
export const approvalAsked = (call_id: string, expires_at: number | null = null): Draft => ({
  type: "approval.requested",
  payload: {
    approval_id: `ap_${call_id}`,
    call_id,
    title: "Allow?",
    prompt: "ls",
    risk: "execute",
    plan: { tool: "exec", arguments: { command: "ls" }, workspace: "/w" },
    plan_hash: PLAN_HASH,
    choices: ["once", "session", "deny"],
    expires_at,
  },
});
export const approvalGiven = (call_id: string, choice: "once" | "session" | "deny"): Draft => ({
  type: "approval.resolved",
  payload: {
    approval_id: `ap_${call_id}`,
    call_id,
    choice,
    status: choice === "deny" ? "denied" : "approved",
    feedback: null,
    by: "person",
  },
});
export const clarifyAsked = (clarify_id: string, call_id: string | null): Draft => ({
  type: "clarify.requested",
  payload: {
    clarify_id,
    call_id,
    question: "Which one?",
    choices: ["left", "right"],
    input_mode: "choice_or_text",
    expires_at: null,
  },
});
export const clarifyGiven = (
  clarify_id: string,
  call_id: string | null,
  response: string,
): Draft => ({
  type: "clarify.resolved",
  payload: { clarify_id, call_id, response, status: "answered", by: "person" },
});
export const outcomeUnknown = (call_id: string): Draft => ({
  type: "tool.outcome_unknown",
  payload: {
    call_id,
    request_id: `un_${call_id}`,
    name: "exec",
    message: "The runner was lost.",
    choices: ["check", "retry", "mark_done", "skip"],
  },
});
export const recovery = (attempt: number): Draft => ({
  type: "recovery",
  payload: {
    attempt,
    previous_runner_id: "runner_1",
    runner_id: "runner_2",
    message: "The run goes on.",
  },
});
export const status = (to: PayloadOf<"status">["status"], reason: string | null = null): Draft => ({
  type: "status",
  payload: { status: to, reason, controls: controlsIn(to) },
});
export const used = (index: number, tokens: number | null): Draft => ({
  type: "usage.updated",
  payload: {
    ...NO_USAGE,
    turn_id: `t${index}`,
    provider: "demo",
    model: "demo",
    total_tokens: tokens,
    duration_ms: 1,
  },
});
export const failed = (code: string): Draft => ({
  type: "error",
  payload: { code, message: `It was ${code}.`, retryable: false },
});
export const done = (
  last_seq: number,
  how: PayloadOf<"done">["status"] = "completed",
  result: string | null = null,
): Draft => ({
  type: "done",
  payload: {
    status: how,
    result,
    error: how === "failed" ? { code: "boom", message: "It was boom." } : null,
    usage: NO_USAGE,
    last_seq,
  },
});
export const edited = (message_id: string, text: string | null): Draft => ({
  type: "message.edited",
  payload: { message_id, text },
});
export const compacted = (summary: string, kept_from_turn: number | null): Draft => ({
  type: "compaction",
  payload: {
    phase: "completed",
    reason: "window",
    kept_from_turn,
    original_tokens: 1_000,
    compacted_tokens: 10,
    summary,
  },
});
export const compacting: Draft = {
  type: "compaction",
  payload: {
    phase: "started",
    reason: "window",
    kept_from_turn: 1,
    original_tokens: 1_000,
    compacted_tokens: 0,
    summary: null,
  },
};
const version = (text: string) => ({ sha256: text.repeat(64).slice(0, 64), bytes: 1, mode: 0o644 });
export const checkpoint = (call_id: string, path = "a.txt"): Draft => ({
  type: "checkpoint.created",
  payload: {
    checkpoint_id: `cp_${call_id}`,
    call_id,
    label: "Before a write",
    paths: [path],
    files: [{ path, version: version("a") }],
    manifest: null,
    truncated: false,
  },
});
export const changed = (call_id: string, ...paths: string[]): Draft => ({
  type: "files.changed",
  payload: {
    call_id,
    checkpoint_id: `cp_${call_id}`,
    changes: paths.map((path) => ({ path, before: version("a"), after: version("b") })),
    truncated: false,
  },
});
export const replanned = (call_id: string): Draft => ({
  type: "tool.replanned",
  payload: {
    call_id,
    plan: { tool: "exec", arguments: { command: "ls -l" }, workspace: "/w" },
    plan_hash: "e".repeat(64),
    by: "person",
  },
});
export const goalDecided = (decision: PayloadOf<"goal.decided">["decision"]): Draft => ({
  type: "goal.decided",
  payload: { goal: "ship", decision, reason: "so", next: null, round: 1 },
});
export const ALWAYS = { effect: "allow", tool: "exec", argv: ["ls"] } as const;
export const allowAlways = (call_id: string): Draft => {
  const asked = approvalAsked(call_id) as Extract<Draft, { type: "approval.requested" }>;
  const always = { ...ALWAYS, argv: [...ALWAYS.argv] };
  return { ...asked, payload: { ...asked.payload, choices: ["once", "always"], always } };
};
