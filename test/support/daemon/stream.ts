// The daemon's stream in tests: short names for its frames, and reads of the tree that they build.
import assert from "node:assert/strict";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
  type ExecutionNode,
  type ExecutionState,
  type ExecutionTree,
} from "../../clients/execution-tree/execution-tree.ts";

export type Emitted = readonly [
  method: string,
  params?: Record<string, unknown>,
  receivedAt?: string,
];
export const NOW = "2026-04-30T10:00:00.000Z";

export function feed(state: ExecutionState, ...events: Emitted[]): ExecutionState {
  return events.reduce(
    (folded, [method, params = {}, receivedAt = NOW]) =>
      applyEnvelope(folded, {
        eventId: folded.lastEventId + 1,
        sessionId: "s",
        receivedAt,
        event: { method, params },
      }),
    state,
  );
}

export const session: Emitted = [
  "stream.session_started",
  { sessionId: "s", model: "m", timestamp: NOW },
];
export const turn = (requestId = "turn-1", turnNumber = 1): Emitted => [
  "stream.turn_started",
  { sessionId: "s", requestId, turnNumber, timestamp: NOW },
];
export const turnDone = (requestId = "turn-1", more: object = {}): Emitted => [
  "stream.turn_completed",
  {
    sessionId: "s",
    requestId,
    turnNumber: 1,
    durationMs: 25,
    toolCount: 0,
    timestamp: NOW,
    ...more,
  },
];
export const text = (delta: string, parentStepId?: string): Emitted => [
  "stream.text",
  { delta, parentStepId },
];
export const think = (delta: string, parentStepId?: string): Emitted => [
  "stream.thinking",
  { delta, parentStepId },
];
export const use = (id: string, more: object = {}): Emitted => [
  "stream.tool_use",
  { id, name: "bash", ...more },
];
export const used = (id: string, isError = false, more: object = {}): Emitted => [
  "stream.tool_completed",
  { id, name: "bash", durationMs: 7, isError, ...more },
];
export const plan = (steps: number, planId = "p"): Emitted => [
  "stream.plan_created",
  {
    planId,
    stepCount: steps,
    goal: "g",
    steps: Array.from({ length: steps }, (_, at) => ({
      index: at + 1,
      name: `s${at + 1}`,
      description: "d",
    })),
  },
];
export const stepStart = (stepIndex: number, stepName = `s${stepIndex}`): Emitted => [
  "stream.plan_step_started",
  { planId: "p", stepId: "x", stepIndex, totalSteps: 3, stepName },
];
export const stepDone = (stepIndex: number, success = true): Emitted => [
  "stream.plan_step_completed",
  { planId: "p", stepId: "x", stepIndex, stepName: "", success, durationMs: 10, tokensUsed: 3 },
];
export const replan = (replanAttempt: number, newStepCount = 2): Emitted => [
  "stream.plan_replanned",
  { planId: "p", replanAttempt, newStepCount, rationale: "why" },
];
export const ask = (requestId: string, toolUseId?: string): Emitted => [
  "permission.request",
  { tool: "bash", description: `may I ${requestId}`, requestId, toolUseId },
];
export const answered = (requestId: string, approved: boolean, via = "person"): Emitted => [
  "permission.response",
  { requestId, approved, via },
];

export const begun = () => feed(emptyExecution("s"), session, turn());
export const fold = (...events: Emitted[]) => toExecutionTree(feed(begun(), ...events));

export function all(tree: ExecutionTree): ExecutionNode[] {
  const open = [...tree.rootNodes];
  for (const node of open) open.push(...node.children);
  return open;
}
export function node(tree: ExecutionTree, id: string): ExecutionNode {
  const found = all(tree).filter((each) => each.id === id);
  assert.equal(found.length, 1, `one node ${id}`);
  return found[0] as ExecutionNode;
}
export const childIds = (tree: ExecutionTree, id: string) =>
  node(tree, id).children.map((c) => c.id);
export const statuses = (tree: ExecutionTree, id: string) =>
  node(tree, id).children.map((c) => c.status);
