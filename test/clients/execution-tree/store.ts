// How the tree is kept while it is folded: every node once, by its place, with the places of its
// children. A change copies the way from the node to the root and nothing beside it, so an event costs
// the same in a tree of ten nodes and of a million, and what did not change keeps its identity.
import { placeOf, withPlace, type IdMap } from "../../../src/kernel/state/id-map.ts";
import type { NodeFacts, NodeStatus, NodeType, PendingPermission, TreePosition } from "./nodes.ts";
import {
  emptyVector,
  get,
  push,
  set,
  values,
  type Vector,
} from "../../../src/kernel/state/vector.ts";

/** Calls of one turn or step, wherever below it. */
type CallsIn = {
  readonly open: number;
  readonly newest: number; // -1: none yet
};
export const NO_CALLS: CallsIn = { open: 0, newest: -1 };

export type Cell = {
  readonly node: NodeFacts;
  readonly parent: number; // -1: a root
  readonly children: Vector<number>;
  readonly thinkings: number; // below it, at any depth: the next one's name
  readonly busy: number; // calls directly below it that have not ended
  readonly calls: CallsIn; // of a turn or step
  /** How a call was counted. Never twice, whoever says that it is over. */
  readonly counted: "completed" | "failed" | null;
  /** Requests that wait here, oldest first; the node shows the newest. */
  readonly asked: {
    readonly before: NodeStatus;
    readonly requests: readonly PendingPermission[];
  } | null;
};
type Bookkeeping = Pick<Cell, "counted" | "asked">;

export type ExecutionState = TreePosition & {
  readonly cells: Vector<Cell>;
  readonly roots: Vector<number>;
  readonly ids: IdMap;
  /** The newest step of a plan for each `<plan>:step:<n>`: a replan may use an index again. */
  readonly steps: IdMap;
  /** Calls outside of any turn. */
  readonly outside: CallsIn;
  /** Subagents that run, oldest first. */
  readonly subagents: readonly number[];
  /** Nodes that wait for an answer, by request. */
  readonly waiting: Readonly<Record<string, number>>;
};

/** The next state while one event is applied to it. */
export type TreeDraft = { -readonly [Key in keyof ExecutionState]: ExecutionState[Key] };

export function find(draft: TreeDraft, id: string | null): number | undefined {
  return id === null ? undefined : placeOf(draft.ids, id);
}

export function cellAt(draft: Pick<ExecutionState, "cells">, at: number): Cell {
  const cell = get(draft.cells, at);
  if (!cell) throw new Error(`there is no node ${at}`); // a place is only ever taken from the tree
  return cell;
}

export const nodeAt = (draft: TreeDraft, at: number): NodeFacts => cellAt(draft, at).node;

/** Changes one node. The same facts back: nothing changes. */
export function change(
  draft: TreeDraft,
  at: number,
  update: (node: NodeFacts) => NodeFacts,
  also?: Partial<Bookkeeping>,
): void {
  const cell = cellAt(draft, at);
  const node = update(cell.node);
  if (node === cell.node && !also) return;
  draft.cells = set(draft.cells, at, { ...cell, ...also, node });
  climb(draft, cell.parent, { busy: busyIn(node) - busyIn(cell.node), thinkings: 0 });
}

/** Adds a node below another, or at the root. Returns its place. */
export function add(draft: TreeDraft, parent: number | undefined, node: NodeFacts): number {
  const at = draft.cells.length;
  const above = parent ?? -1;
  draft.cells = push(draft.cells, { ...NEW, node, parent: above });
  draft.ids = withPlace(draft.ids, node.id, at);
  if (parent === undefined) draft.roots = push(draft.roots, at);
  const more = { busy: busyIn(node), thinkings: node.type === "thinking" ? 1 : 0 };
  if (parent === undefined) {
    climb(draft, above, more);
    return at;
  }
  const cell = cellAt(draft, parent);
  draft.cells = set(draft.cells, parent, { ...cell, children: push(cell.children, at) });
  climb(draft, parent, more);
  return at;
}

const NEW = {
  children: emptyVector<number>(),
  thinkings: 0,
  busy: 0,
  calls: NO_CALLS,
  counted: null,
  asked: null,
} satisfies Partial<Cell>;

function busyIn({ type, status }: NodeFacts): number {
  return type === "tool" && (status === "running" || status === "paused") ? 1 : 0;
}

/** Everything above a change is new, so that whoever compares sees where to look. */
function climb(draft: TreeDraft, from: number, more: { busy: number; thinkings: number }): void {
  let { busy } = more;
  let counted = busy;
  for (let at = from; at >= 0;) {
    const cell = cellAt(draft, at);
    const thinkings = cell.thinkings + more.thinkings;
    const isHere = counted !== 0 && isScope(cell.node);
    const calls = isHere ? { ...cell.calls, open: cell.calls.open + counted } : cell.calls;
    draft.cells = set(draft.cells, at, { ...cell, busy: cell.busy + busy, thinkings, calls });
    busy = 0; // only the parent's
    if (isHere) counted = 0; // only the nearest scope's
    at = cell.parent;
  }
  if (counted !== 0) draft.outside = { ...draft.outside, open: draft.outside.open + counted };
}

/** Calls of the turn or step around a place, or outside of any. */
export function callsAround(draft: TreeDraft, at: number | undefined): CallsIn {
  const scope = nearest(draft, at, isScope);
  return scope === undefined ? draft.outside : cellAt(draft, scope).calls;
}

export function noteNewestCall(draft: TreeDraft, at: number): void {
  const scope = nearest(draft, at, isScope);
  if (scope === undefined) {
    draft.outside = { ...draft.outside, newest: at };
    return;
  }
  const cell = cellAt(draft, scope);
  draft.cells = set(draft.cells, scope, { ...cell, calls: { ...cell.calls, newest: at } });
}

/** The nearest node, itself or above it, that is so. */
export function nearest(
  draft: TreeDraft,
  from: number | undefined,
  is: (node: NodeFacts) => boolean,
): number | undefined {
  for (let at = from ?? -1; at >= 0;) {
    const cell = cellAt(draft, at);
    if (is(cell.node)) return at;
    at = cell.parent;
  }
  return undefined;
}

export function childrenOf(draft: TreeDraft, at: number): readonly number[] {
  return [...values(cellAt(draft, at).children)];
}

/** Every node below one, in any order. */
export function below(draft: TreeDraft, at: number): readonly number[] {
  const found: number[] = [];
  const open = [at];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of values(cellAt(draft, next).children)) {
      found.push(child);
      open.push(child);
    }
  }
  return found;
}

export const isA =
  (...types: readonly NodeType[]) =>
  ({ type }: NodeFacts): boolean =>
    types.includes(type);

export const isScope = isA("turn", "step");

/** Of something that asks a person it is not over either. */
export const goesOn = ({ status }: NodeFacts): boolean =>
  status === "running" || status === "paused";
