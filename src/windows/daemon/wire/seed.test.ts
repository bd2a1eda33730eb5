// Every example of the execution-event-schema document, and the parameters of wire-facts 1.4, as they
// stand there: what we send has these fields, of these kinds, and no others.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { feed, begun } from "../../../../test/support/daemon/stream.ts";
import { sessions } from "../../../../test/support/events.ts";
import {
  readRecordings,
  type AnyEvent,
} from "../../../../test/support/recordings/session-recordings.ts";
import { toExecutionTree } from "../../../../test/clients/execution-tree/execution-tree.ts";
import { DAEMON_METHODS, type DaemonEnvelope } from "./events.ts";
import { readDaemonCommand } from "./inbound.ts";
import { DaemonEnvelope as EnvelopeSchema, DAEMON_PARAMS } from "./schema.ts";
import { daemonDialect } from "./daemon.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";

/** "TypeScript wire-format types (DaemonEvent union)": twenty methods. */
const SEED_UNION = [
  "stream.turn_started",
  "stream.turn_completed",
  "stream.session_started",
  "stream.text",
  "stream.tool_use",
  "stream.tool_completed",
  "stream.plan_created",
  "stream.plan_step_started",
  "stream.plan_step_completed",
  "stream.plan_step_fallback",
  "stream.plan_replanned",
  "stream.plan_completed",
  "stream.plan_escalated",
  "stream.subagent.start",
  "stream.subagent.end",
  "stream.compaction",
  "stream.usage",
  "stream.heartbeat",
  "permission.request",
  "permission.response",
];

/** `?`: may be absent. The first four are the document's interfaces, the rest is wire-facts' table. */
const PARAMS: Record<string, Record<string, string>> = {
  "stream.turn_started": {
    sessionId: "string",
    requestId: "string",
    turnNumber: "number",
    timestamp: "iso",
  },
  "stream.turn_completed": {
    sessionId: "string",
    requestId: "string",
    turnNumber: "number",
    durationMs: "number",
    toolCount: "number",
    timestamp: "iso",
    stopReason: "string?",
  },
  "stream.session_started": {
    sessionId: "string",
    model: "string",
    timestamp: "iso",
    projectPath: "string?",
  },
  "stream.plan_step_fallback": {
    sessionId: "string",
    planId: "string",
    stepId: "string",
    stepIndex: "number",
    fallbackApproach: "string",
    attempt: "number",
  },
  "stream.session_ended": { sessionId: "string", timestamp: "iso", reason: "string" },
  "stream.thinking": { delta: "string", parentStepId: "string?" },
  "stream.text": { delta: "string", parentStepId: "string?" },
  "stream.tool_use": {
    id: "string",
    name: "string",
    summary: "string?",
    parentStepId: "string?",
  },
  "stream.tool_completed": {
    id: "string",
    name: "string",
    durationMs: "number",
    isError: "boolean",
    error: "string?",
  },
  "stream.heartbeat": { phase: "string" },
  "stream.error": { error: "string" },
  "stream.cancelled": { sessionId: "string" },
  "stream.budget_exhausted": {
    sessionId: "string",
    reason: "string",
    elapsedMs: "number",
    extensionCount: "number",
    softLimitReached: "boolean",
  },
  "stream.compaction": { originalTokens: "number", compactedTokens: "number", phase: "string" },
  "stream.subagent.start": { agentType: "string", prompt: "string" },
  "stream.subagent.end": { agentType: "string" },
  "stream.usage": {
    inputTokens: "number",
    totalInputTokens: "number",
    totalOutputTokens: "number",
  },
  "stream.gate": {
    sessionId: "string",
    tool: "string",
    gate: "string",
    action: "string",
    ruleId: "string?",
    reason: "string?",
    fallback: "string?",
    override: "boolean",
    overrideTtlSeconds: "number?",
    overrideReason: "string?",
  },
  "stream.plan_created": {
    planId: "string",
    stepCount: "number",
    goal: "string",
    steps: "steps",
    resumed: "boolean?",
    resumedFromStep: "number?",
  },
  "stream.plan_step_started": {
    planId: "string",
    stepId: "string",
    stepIndex: "number",
    totalSteps: "number",
    stepName: "string",
  },
  "stream.plan_step_completed": {
    planId: "string",
    stepId: "string",
    stepIndex: "number",
    stepName: "string",
    success: "boolean",
    durationMs: "number",
    tokensUsed: "number",
  },
  "stream.plan_replanned": {
    planId: "string",
    replanAttempt: "number",
    newStepCount: "number",
    rationale: "string",
    resumed: "boolean?",
  },
  "stream.plan_completed": {
    planId: "string",
    success: "boolean",
    totalDurationMs: "number",
    stepsCompleted: "number",
    totalSteps: "number",
    resumed: "boolean?",
  },
  "stream.plan_escalated": { planId: "string", reason: "string" },
  "permission.request": {
    tool: "string",
    description: "string",
    requestId: "string",
    toolUseId: "string?",
  },
  "permission.response": { requestId: "string", approved: "boolean", via: "string" },
};

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function isA(value: unknown, kind: string): boolean {
  if (kind === "iso") return typeof value === "string" && ISO.test(value);
  if (kind !== "steps") return typeof value === kind && !Number.isNaN(value);
  return (
    Array.isArray(value) &&
    value.every((step: Record<string, unknown>) => {
      const { index, name, description, ...rest } = step;
      return (
        Number.isInteger(index) &&
        typeof name === "string" &&
        typeof description === "string" &&
        Object.keys(rest).length === 0
      );
    })
  );
}

function checkFrame({ eventId, sessionId, receivedAt, event }: DaemonEnvelope): void {
  assert.ok(Number.isInteger(eventId) && typeof sessionId === "string" && ISO.test(receivedAt));
  const wanted = PARAMS[event.method];
  if (!wanted) return assert.ok(!Object.hasOwn(DAEMON_METHODS, event.method), event.method);
  const params = event.params as Record<string, unknown>;
  for (const [name, kind] of Object.entries(wanted)) {
    const value = params[name];
    const fits = kind.endsWith("?")
      ? !Object.hasOwn(params, name) || isA(value, kind.slice(0, -1))
      : isA(value, kind);
    assert.ok(fits, `${event.method}.${name}: ${JSON.stringify(value)}`);
  }
  assert.deepEqual(
    Object.keys(params).filter((name) => !Object.hasOwn(wanted, name)),
    [],
    event.method,
  );
}

function emitted(events: readonly AnyEvent[]): DaemonEnvelope[] {
  const state = daemonDialect.begin();
  return events.flatMap((event) => encode(daemonDialect, event, state, { replay: false }));
}

const recordings = readRecordings();

test("[W6] all twenty methods of the document are spoken; its response is a client's command, too", () => {
  assert.equal(SEED_UNION.length, 20);
  for (const method of SEED_UNION) assert.ok(Object.hasOwn(DAEMON_PARAMS, method), method);
  assert.deepEqual(Object.keys(DAEMON_PARAMS).toSorted(), Object.keys(PARAMS).toSorted());
  const reserved = Object.keys(DAEMON_METHODS).filter((each) => !Object.hasOwn(PARAMS, each));
  assert.deepEqual(reserved, ["permission.cancelled"]);
  const params = { requestId: "r", sessionId: "s", approved: true };
  const response = JSON.stringify({ method: "permission.response", params });
  assert.deepEqual(readDaemonCommand(response)?.method, "permission.response");
});

test("[W6] recorded sessions are told with exactly the fields of the table, and speak every method there is a source for", () => {
  const spoken = new Set<string>();
  for (const { name, events } of recordings) {
    for (const frame of emitted(events)) {
      checkFrame(frame);
      const known = Object.hasOwn(DAEMON_PARAMS, frame.event.method);
      if (known) EnvelopeSchema.parse(frame); // what protocol.schema.json promises
      spoken.add(frame.event.method);
    }
    assert.ok(events.length > 0, name);
  }
  const silent = Object.keys(DAEMON_PARAMS).filter((method) => !spoken.has(method));
  // A gate is told as the end of its call. Deleted sessions have a test of their own.
  assert.deepEqual(
    silent.filter((method) => method !== "stream.session_ended"),
    ["stream.gate"],
  );
});

test("[W2a, W6] any session, with events nobody knows, is told with exactly those fields", () => {
  fc.assert(fc.property(sessions, (events) => emitted(events).forEach(checkFrame)));
});

test("[W6] the wire has no tree in it: neither parents nor children nor kinds of nodes", () => {
  const TREE = new Set(["parentId", "nodeType", "children", "depth", "parallel"]);
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      assert.ok(!TREE.has(name), name);
      look(inner);
    }
  };
  for (const { events } of recordings) {
    const frames = emitted(events).filter(({ event }) =>
      Object.hasOwn(DAEMON_METHODS, event.method),
    );
    for (const { eventId: _id, ...frame } of frames) look(frame);
  }
});

test("the document's example of parallel calls marks both", () => {
  const tree = toExecutionTree(
    feed(
      begun(),
      ["stream.tool_use", { id: "t1", name: "read_file" }],
      ["stream.tool_use", { id: "t2", name: "grep" }],
      ["stream.tool_completed", { id: "t1", name: "read_file", durationMs: 100, isError: false }],
      ["stream.tool_completed", { id: "t2", name: "grep", durationMs: 198, isError: false }],
    ),
  );
  const calls = tree.rootNodes[0]?.children[0]?.children[0]?.children ?? [];
  assert.deepEqual(
    calls.map(({ id, parallel, duration }) => ({ id, parallel, duration })),
    [
      { id: "t1", parallel: true, duration: 100 },
      { id: "t2", parallel: true, duration: 198 },
    ],
  );
});
