// What needs attention: a request, a failure, or an interruption.
import type { Item, RequestState, ToolStatus } from "../../kernel/state/run/items.ts";
import type { RunStatus } from "../../kernel/state/run/status.ts";
import type { Mark, NodeSource } from "./node.ts";

const TOOL_MARK: Record<ToolStatus, Mark | null> = {
  planned: null,
  awaiting_approval: "waiting",
  awaiting_clarify: "waiting",
  running: null,
  outcome_unknown: "waiting",
  completed: null,
  failed: "problem",
  denied: "problem",
  skipped: null,
  cancelled: null,
  marked_done: null,
};
const FAILED: ReadonlySet<RunStatus> = new Set(["failed", "expired"]);

type Marks = {
  readonly [Kind in NodeSource["kind"]]: (
    source: Extract<NodeSource, { kind: Kind }>,
  ) => Mark | null;
};

const MARKS: Marks = {
  run: ({ run }) => {
    if (Object.keys(run.pending).length > 0) return "waiting";
    return FAILED.has(run.status) ? "problem" : null;
  },
  step: ({ step }) => (step.status === "failed" ? "problem" : null),
  pending: () => null,
  turn: ({ turn }) => (turn.phase === "superseded" ? "problem" : null),
  item: ({ item }) => itemMark(item),
};

export function markOf(source: NodeSource): Mark | null {
  return (MARKS[source.kind] as (source: NodeSource) => Mark | null)(source);
}

function itemMark(item: Item): Mark | null {
  if (item.kind === "tool") return TOOL_MARK[item.status];
  if (item.kind !== "notice") return null;
  if (waits(item.request)) return "waiting";
  return item.tone === "error" || item.code === "recovery" ? "problem" : null;
}

export function waits(request: RequestState | null): boolean {
  return request !== null && request.answer === null;
}
