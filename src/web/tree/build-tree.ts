// Builds the tree of a run from its folded state: items inside their turns and plan steps, subagents below
// their call. Incremental: a token changes four nodes.
import type { Item, ToolItem } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { get, values } from "../../kernel/state/vector.ts";
import { markOf } from "./marks.ts";
import { NO_OUTLINE, type Outline, type RunOutline, type Span, type StepFacts } from "./outline.ts";
import type { ChildFacts, NodeSource, TreeNode } from "./node.ts";
import { own } from "../../kernel/events/own.ts";

export type TreeInput = {
  readonly runs: Readonly<Record<string, RunState>>;
  readonly outline: Outline;
  readonly runId: string;
  readonly rewound: boolean;
};
export type TreeBuilder = (input: TreeInput) => TreeNode | null;

type Built = {
  readonly run: RunState;
  readonly outline: RunOutline;
  readonly items: readonly TreeNode[]; // one for each item of the run
  readonly children: readonly TreeNode[];
};
type Memory = {
  readonly nodes: Map<string, TreeNode>; // as they were drawn last
  readonly runs: Map<string, Built>;
};

/** Unchanged nodes keep their identity. */
export function createTreeBuilder(): TreeBuilder {
  const memory: Memory = { nodes: new Map(), runs: new Map() };
  return (input) => {
    const { runId, runs, rewound } = input;
    const run = own(runs, runId);
    if (!run) return null;
    return node(memory, {
      source: { kind: "run", run, rewound },
      key: runId,
      runId,
      seq: run.seq > 1 ? 2 : null, // its first event is the message, which has a node of its own
      endSeq: isTerminal(run.status) ? run.seq : null,
      childRunId: runId,
      children: childrenOf(input, runId, memory),
    });
  };
}

function node(memory: Memory, made: Omit<TreeNode, "mark" | "marked">): TreeNode {
  const known = memory.nodes.get(made.key);
  const same =
    known !== undefined &&
    sameSource(known.source, made.source) &&
    known.endSeq === made.endSeq &&
    sameList(known.children, made.children);
  if (same) return known;
  const mark = markOf(made.source);
  const below = made.children.reduce((sum, { marked }) => sum + marked, 0);
  const fresh = { ...made, mark, marked: below + (mark === null ? 0 : 1) };
  memory.nodes.set(made.key, fresh);
  return fresh;
}

function sameSource(a: NodeSource, b: NodeSource): boolean {
  if (a.kind === "run" && b.kind === "run") return a.run === b.run && a.rewound === b.rewound;
  if (a.kind === "item" && b.kind === "item") {
    return a.item === b.item && sameChild(a.child, b.child);
  }
  if (a.kind === "turn" && b.kind === "turn") return a.turn === b.turn;
  if (a.kind === "step" && b.kind === "step") return a.step === b.step;
  return a.kind === "pending" && b.kind === "pending" && a.name === b.name;
}

function sameChild(a: ChildFacts | null, b: ChildFacts | null): boolean {
  return a?.status === b?.status && a?.turns === b?.turns;
}

function sameList<Value>(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** Unchanged runs and their subagents are not walked again. */
function childrenOf(input: TreeInput, runId: string, memory: Memory): readonly TreeNode[] {
  const run = input.runs[runId];
  if (!run) return [];
  const outline = own(input.outline, runId) ?? NO_OUTLINE;
  const known = memory.runs.get(runId);
  const still =
    known?.run === run &&
    known.outline === outline &&
    run.subagents.every(({ childRunId }) => isUnchanged(input, childRunId, memory));
  if (still) return known.children;
  const items = itemNodes(input, run, memory);
  const children = [...placed(items, run, outline, memory), ...pendingNodes(run, memory)];
  memory.runs.set(runId, { run, outline, items, children });
  return children;
}

function isUnchanged(input: TreeInput, runId: string, memory: Memory): boolean {
  const known = memory.runs.get(runId);
  const run = input.runs[runId];
  if (!run || !known) return !run && !known;
  return (
    known.run === run &&
    known.outline === (own(input.outline, runId) ?? NO_OUTLINE) &&
    run.subagents.every(({ childRunId }) => isUnchanged(input, childRunId, memory))
  );
}

/** Unchanged items reuse their node. */
function itemNodes(input: TreeInput, run: RunState, memory: Memory): TreeNode[] {
  const before = memory.runs.get(run.runId)?.items;
  const nodes: TreeNode[] = [];
  for (let index = 0; index < run.items.length; index += 1) {
    const item = get(run.items, index) as Item;
    const known = before?.[index];
    const child = item.kind === "tool" ? childOf(input, item) : null;
    const same = known?.source.kind === "item" && known.source.item === item;
    if (same && !child && known.childRunId === null) nodes.push(known);
    else nodes.push(itemNode(input, { item, child, runId: run.runId }, memory));
  }
  return nodes;
}

type Placed = { readonly item: Item; readonly child: RunState | null; readonly runId: string };

function itemNode(input: TreeInput, { item, child, runId }: Placed, memory: Memory): TreeNode {
  return node(memory, {
    key: `${runId}:${item.seq}`,
    runId,
    seq: item.seq,
    endSeq: null,
    source: { kind: "item", item, child: child && { status: child.status, turns: child.turns } },
    childRunId: child && child.runId,
    children: child ? childrenOf(input, child.runId, memory) : [],
  });
}

function childOf({ runs }: TreeInput, { childRunId }: ToolItem): RunState | null {
  return (childRunId !== null && Object.hasOwn(runs, childRunId) && runs[childRunId]) || null;
}

/** Items inside turns, turns inside the plan steps during which they began. */
function placed(
  items: readonly TreeNode[],
  run: RunState,
  { turns, steps }: RunOutline,
  memory: Memory,
): TreeNode[] {
  const { runId } = run;
  const inTurns = grouped(items, [...values(turns)], (turn, children) =>
    node(memory, {
      source: { kind: "turn", turn },
      key: `${runId}:${turn.seq}`,
      runId,
      seq: turn.seq,
      endSeq: turn.endSeq,
      childRunId: null,
      children,
    }),
  );
  return grouped(inTurns, apart(steps), (step, children) =>
    node(memory, {
      source: { kind: "step", step },
      key: `${runId}:${step.seq}`,
      runId,
      seq: step.seq,
      endSeq: step.endSeq,
      childRunId: null,
      children,
    }),
  );
}

/** A step ends when another one follows, even without an end event. */
function apart(steps: readonly StepFacts[]): readonly StepFacts[] {
  return steps.length < 2 ? steps : steps.map((step, index) => cutStep(step, steps[index + 1]));
}

const cuts = new WeakMap<StepFacts, StepFacts>();

function cutStep(step: StepFacts, next: StepFacts | undefined): StepFacts {
  if (!next || (step.endSeq !== null && step.endSeq <= next.seq)) return step;
  const known = cuts.get(step);
  if (known?.endSeq === next.seq) return known;
  const cut = { ...step, endSeq: next.seq, endedAt: next.at };
  cuts.set(step, cut);
  return cut;
}

/** Puts sorted nodes into sorted spans; others stay beside them. */
function grouped<Of extends Span>(
  nodes: readonly TreeNode[],
  spans: readonly Of[],
  make: (span: Of, children: readonly TreeNode[]) => TreeNode,
): TreeNode[] {
  const out: TreeNode[] = [];
  let at = 0;
  for (const span of spans) {
    while (at < nodes.length && (nodes[at]?.seq ?? 0) < span.seq) out.push(nodes[at++] as TreeNode);
    const children: TreeNode[] = [];
    const end = span.endSeq ?? Number.POSITIVE_INFINITY;
    while (at < nodes.length && (nodes[at]?.seq ?? 0) < end) children.push(nodes[at++] as TreeNode);
    out.push(make(span, children));
  }
  return [...out, ...nodes.slice(at)];
}

/** Plan steps that have not begun. */
function pendingNodes({ runId, plan, status }: RunState, memory: Memory): TreeNode[] {
  if (!plan || plan.status !== "active" || isTerminal(status)) return [];
  return plan.steps
    .filter((step) => step.status === "pending")
    .map(({ stepId, name }) =>
      node(memory, {
        source: { kind: "pending", name },
        key: `${runId}:step:${stepId}`,
        runId,
        seq: null,
        endSeq: null,
        childRunId: null,
        children: [],
      }),
    );
}
