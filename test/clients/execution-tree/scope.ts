// Where in the tree something that just happened belongs. A turn, or a running step of a plan, is the
// scope; in it, one model call is an iteration: a thinking node (made up if the model did not think
// aloud), what it said below that, and the calls it made below what it said.
import { placeOf } from "../../../src/kernel/state/id-map.ts";
import type { NodeFacts } from "./nodes.ts";
import {
  add,
  cellAt,
  change,
  childrenOf,
  find,
  goesOn,
  isScope,
  nearest,
  nodeAt,
  type TreeDraft,
} from "./store.ts";

/** The running turn or step around what is active. */
export function liveScope(draft: TreeDraft): number | undefined {
  return scopeAround(draft, find(draft, draft.activeNodeId));
}

export function scopeAround(draft: TreeDraft, at: number | undefined): number | undefined {
  return nearest(draft, at, (node) => isScope(node) && goesOn(node));
}

type Scope =
  | { readonly late: false; readonly at: number }
  /** Of a step that is no longer the running one: what is said of it disturbs nothing that goes on. */
  | { readonly late: true; readonly at: number };

/** What the event names, or else what is going on. A step that a replan dropped is not meant. */
export function scopeFor(draft: TreeDraft, parentStepId: unknown): Scope | undefined {
  const live = liveScope(draft);
  const named = typeof parentStepId === "string" ? placeOf(draft.steps, parentStepId) : undefined;
  if (named !== undefined && nodeAt(draft, named).status !== "cancelled") {
    return { late: named !== live, at: named };
  }
  return live === undefined ? undefined : { late: false, at: live };
}

/** What was thought and said is over; what comes next begins anew. */
export function leaveIteration(draft: TreeDraft): void {
  seal(draft, "both");
  forgetIteration(draft);
}

function forgetIteration(draft: TreeDraft): void {
  draft.currentThinkingId = null;
  draft.thinkingSealed = false;
  draft.currentTextId = null;
  draft.textIsOpen = false;
}

type Thought = Pick<NodeFacts, "status"> & { readonly delta: string };

/** A new iteration. What was said in the one before is over; its calls end when they are said to. */
export function beginIteration(draft: TreeDraft, scope: number, { status, delta }: Thought): void {
  const before = find(draft, draft.currentThinkingId);
  if (before !== undefined) {
    for (const at of childrenOf(draft, before)) change(draft, at, saidWhole);
  }
  const { node, thinkings } = cellAt(draft, scope);
  const id = `${node.id}:thinking${thinkings === 0 ? "" : `:${thinkings}`}`;
  add(draft, scope, { id, type: "thinking", status, label: "thinking", text: delta });
  forgetIteration(draft);
  draft.currentThinkingId = id;
  draft.activeNodeId = id;
}

function saidWhole(node: NodeFacts): NodeFacts {
  const open = node.type === "text" && node.status === "running";
  return open ? { ...node, status: "completed" } : node;
}

/** The model has stopped thinking and, unless it is only talking now, stopped talking. */
export function seal(draft: TreeDraft, what: "thinking" | "both"): void {
  const ids =
    what === "both" ? [draft.currentThinkingId, draft.currentTextId] : [draft.currentThinkingId];
  for (const at of ids.map((id) => find(draft, id))) {
    if (at === undefined) continue;
    change(draft, at, (node) =>
      node.status === "running" ? { ...node, status: "completed" } : node,
    );
  }
  draft.thinkingSealed = true;
  if (what === "both") draft.textIsOpen = false;
}
