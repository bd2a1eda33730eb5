// The transcript as rows: items of root runs in groups, and a last row per run. Undone runs are one row; queued
// ones are elsewhere. Found by position, so cost per token does not depend on length.
import { directCall } from "../../kernel/events/direct.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import type { RunSummary } from "../../kernel/state/session/session-state.ts";
import { values, type Vector } from "../../kernel/state/vector.ts";
import { ALL_GROUPS, groupKey, undoneKey, type FoldStates } from "./folds.ts";
import type { Group, Grouping } from "./groups.ts";
import { layoutOf, type Layout, type Place } from "./layout.ts";

export type Row = { readonly runId: string; readonly undone: boolean } & (
  | { readonly kind: "item"; readonly index: number; readonly grouped: boolean }
  | { readonly kind: "group"; readonly group: Group; readonly open: boolean }
  | { readonly kind: "undone" }
  | { readonly kind: "end" }
);

export type ItemPlace = { readonly runId: string; readonly index: number };

/** What is collapsed or shown elsewhere. */
export type Shown = {
  readonly folds: FoldStates;
  readonly elsewhere: ReadonlySet<string>; // runs that wait in the queue on the page
  readonly selected: ItemPlace | null; // never folded away
};

type Section = {
  readonly runId: string;
  readonly start: number;
  readonly head: 0 | 1; // rows before the items
  readonly layout: Layout | null; // null: folded
};

export type Rows = {
  readonly count: number;
  readonly things: number; // how much there is, folded or not
  readonly at: (row: number) => Row | undefined;
  readonly keyAt: (row: number) => string;
  readonly rowOf: (place: ItemPlace) => number | null;
};

export function rowsOf(
  order: Vector<RunSummary>,
  runs: Readonly<Record<string, RunState>>,
  { shown, grouping }: { shown: Shown; grouping: Grouping },
): Rows {
  const sections: Section[] = [];
  let [count, things] = [0, 0];
  for (const { runId, rewound } of values(order)) {
    const run = runs[runId];
    // A run's parent is in its second event; until then it is not shown.
    if (!run || run.depth > 0 || run.seq < 2 || shown.elsewhere.has(runId)) continue;
    // A person's own command is not undone by a rewind.
    const undone = rewound && !directCall(run);
    const head = undone ? 1 : 0;
    const isSelected = shown.selected?.runId === runId;
    const folded = undone && !isSelected && shown.folds.get(undoneKey(runId)) !== true;
    const layout = folded ? null : layoutOfRun(run, grouping(runId, run.items), shown);
    sections.push({ runId, start: count, head, layout });
    count += layout ? head + layout.count + 1 : head;
    things += run.items.length + 1;
  }
  const at = (row: number) =>
    row < 0 || row >= count ? undefined : rowIn(sections[sectionAt(sections, row)], row);
  return {
    count,
    things,
    at,
    keyAt: (row) => keyOf(at(row)),
    rowOf({ runId, index }) {
      const section = sections.find((each) => each.runId === runId);
      return section?.layout ? section.start + section.head + section.layout.rowOf(index) : null;
    },
  };
}

/** Open by choice, by default, or because the selection is inside. */
export function isGroupOpen(group: Group, folds: FoldStates, selected: number | null): boolean {
  if (selected !== null && selected >= group.from && selected < group.to) return true;
  for (const { callId } of group.calls) {
    const chosen = folds.get(groupKey(callId));
    if (chosen !== undefined) return chosen === true;
  }
  return folds.get(ALL_GROUPS) === true;
}

type Kept = {
  readonly items: number;
  readonly folds: FoldStates;
  readonly selected: number | null;
  readonly layout: Layout;
};
const layouts = new WeakMap<readonly Group[], Kept>();

/** Streaming text changes neither groups nor counts, so the layout is reused. */
function layoutOfRun({ runId, items }: RunState, groups: readonly Group[], shown: Shown): Layout {
  const { folds } = shown;
  const selected = shown.selected?.runId === runId ? shown.selected.index : null;
  const kept = layouts.get(groups);
  if (kept?.items === items.length && kept.folds === folds && kept.selected === selected) {
    return kept.layout;
  }
  const layout = layoutOf(items.length, groups, (group) => isGroupOpen(group, folds, selected));
  layouts.set(groups, { items: items.length, folds, selected, layout });
  return layout;
}

function rowIn(section: Section | undefined, row: number): Row | undefined {
  if (!section) return undefined;
  const { runId, start, head, layout } = section;
  const of = { runId, undone: head === 1 };
  const within = row - start - head;
  if (within < 0) return { kind: "undone", ...of };
  const place: Place | undefined = layout?.at(within);
  return place ? { ...place, ...of } : { kind: "end", ...of };
}

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
  if (row.kind === "item") return `${row.runId}/${row.index}`;
  return `${row.runId}/${row.kind}${row.kind === "group" ? row.group.from : ""}`;
}
