// Nodes of the tree. Unchanged nodes keep their identity, so their rows are not drawn again. Labels are
// computed when drawn (tree-labels.ts).
import type { Item } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import type { RunStatus } from "../../kernel/state/run/status.ts";
import type { StepFacts, TurnFacts } from "./outline.ts";

/** The state of the run below a call. */
export type ChildFacts = { readonly status: RunStatus; readonly turns: number };

export type NodeSource =
  | { readonly kind: "run"; readonly run: RunState; readonly rewound: boolean }
  | { readonly kind: "step"; readonly step: StepFacts }
  | { readonly kind: "pending"; readonly name: string }
  | { readonly kind: "turn"; readonly turn: TurnFacts }
  | { readonly kind: "item"; readonly item: Item; readonly child: ChildFacts | null };

/** `waiting`: for a person. `problem`: failed or interrupted. */
export type Mark = "waiting" | "problem";

export type TreeNode = {
  readonly key: string;
  readonly runId: string;
  readonly seq: number | null; // the event it began with; null: it has not begun
  readonly endSeq: number | null; // of what holds others, when it is over
  readonly childRunId: string | null; // the run whose parts are below it
  readonly source: NodeSource;
  readonly children: readonly TreeNode[];
  readonly mark: Mark | null;
  readonly marked: number; // how many nodes below it, with itself, have a mark
};
