// Events of the document, folded.
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
  type ExecutionNode,
  type ExecutionState,
  type ExecutionTree,
} from "../../clients/execution-tree/execution-tree.ts";
import type { Envelope, Fields } from "../hud/world.ts";

export type Emitted = readonly [method: string, params: Fields];
export const BASE = { receivedAt: "2026-04-30T10:00:00.000Z" };

/** Folds events of the document into a fresh state. */
export function fold(...emitted: readonly Emitted[]): ExecutionState {
  return emitted.reduce<ExecutionState>(
    (state, [method, params], at) =>
      applyEnvelope(state, { ...BASE, eventId: at + 1, sessionId: "s", event: { method, params } }),
    emptyExecution("s"),
  );
}
export const treeOf = (...emitted: readonly Emitted[]): ExecutionTree =>
  toExecutionTree(fold(...emitted));
export function treeFrom(envelopes: readonly Envelope[]): ExecutionTree {
  const sessionId = envelopes[0]?.sessionId ?? "";
  return toExecutionTree(
    envelopes.reduce<ExecutionState>(applyEnvelope, emptyExecution(sessionId)),
  );
}
export function nodesIn({ rootNodes }: ExecutionTree): ExecutionNode[] {
  const all = [...rootNodes];
  for (const node of all) all.push(...node.children);
  return all;
}
export const find = (tree: ExecutionTree, id: string) =>
  nodesIn(tree).find((node) => node.id === id);

export const session: Emitted = [
  "stream.session_started",
  { sessionId: "s", model: "m", timestamp: BASE.receivedAt },
];
export const turn: Emitted = [
  "stream.turn_started",
  { sessionId: "s", requestId: "t", turnNumber: 1, timestamp: BASE.receivedAt },
];
export const use = (id: string): Emitted => ["stream.tool_use", { id, name: "read_file" }];
export const used = (id: string, durationMs: number): Emitted => [
  "stream.tool_completed",
  { id, name: "read_file", durationMs, isError: false },
];
export const parallel = (tree: ExecutionTree) =>
  ["t1", "t2"].map((id) => find(tree, id)?.parallel ?? false);
