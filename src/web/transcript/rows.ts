// The transcript as a list of rows: every item of every root run, and one closing row per run. A run that
// was undone is one row until it is opened; one that waits in the queue is shown there. Found by position
// without building the list, so a long session costs no more per token than a short one.
import { directCall } from "../../protocol/direct.ts";
import type { RunState } from "../../protocol/run-state.ts";
import type { RunSummary } from "../../protocol/session-state.ts";
import { values, type Vector } from "../../protocol/vector.ts";

export type Row =
  | { readonly kind: "item"; readonly runId: string; readonly index: number }
  | { readonly kind: "undone"; readonly runId: string }
  | { readonly kind: "end"; readonly runId: string };

/** What is not simply shown: undone runs that were opened, and runs that wait elsewhere on the page. */
export type Shown = {
  readonly opened: ReadonlySet<string>;
  readonly elsewhere: ReadonlySet<string>;
};
const EVERYTHING: Shown = { opened: new Set(), elsewhere: new Set() };

type Section = {
  readonly runId: string;
  readonly start: number;
  readonly head: 0 | 1; // rows before the items
  readonly items: number;
};

export type Rows = {
  readonly count: number;
  readonly at: (row: number) => Row | undefined;
  readonly keyAt: (row: number) => string;
};

export function rowsOf(
  order: Vector<RunSummary>,
  runs: Readonly<Record<string, RunState>>,
  { opened, elsewhere }: Shown = EVERYTHING,
): Rows {
  const sections: Section[] = [];
  let count = 0;
  for (const { runId, rewound } of values(order)) {
    const run = runs[runId];
    // Whose child a run is stands in its second event; until then it is nobody's to show.
    if (!run || run.depth > 0 || run.seq < 2 || elsewhere.has(runId)) continue;
    // What a person's command did to files was not undone with the words around it.
    const undone = rewound && !directCall(run);
    const head = undone ? 1 : 0;
    const folded = undone && !opened.has(runId);
    const items = folded ? 0 : run.items.length;
    sections.push({ runId, start: count, head, items });
    count += folded ? head : head + items + 1;
  }
  const at = (row: number): Row | undefined => {
    const section = sections[sectionAt(sections, row)];
    if (!section || row < 0 || row >= count) return undefined;
    const { runId } = section;
    const index = row - section.start - section.head;
    if (index < 0) return { kind: "undone", runId };
    return index < section.items ? { kind: "item", runId, index } : { kind: "end", runId };
  };
  return { count, at, keyAt: (row) => keyOf(at(row)) };
}

/** The last section that starts at or before the row. */
function sectionAt(sections: readonly Section[], row: number): number {
  let low = 0;
  let high = sections.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sections[middle]?.start ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

function keyOf(row: Row | undefined): string {
  if (!row) return "";
  return row.kind === "item" ? `${row.runId}/${row.index}` : `${row.runId}/${row.kind}`;
}
