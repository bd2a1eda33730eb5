// The HUD's nodes as the reducer keeps them: a flat list with positions, so that a frame costs the same in
// the first turn and after a million calls. The tree of the document is made of it when somebody looks.
import type { HudRecord } from "../wire/events.ts";
import type { PairedFrame, PairedType } from "./frame.ts";
import { EMPTY_INDEX, type Index } from "./index.ts";
import { emptyVector, get, push, set, values, type Vector } from "../../../kernel/state/vector.ts";

/** The document's, and what says that the arguments are not whole. */
export type HudNode = {
  readonly id: string;
  readonly type: PairedType | "received";
  readonly subtype?: string;
  readonly state: "running" | "done" | "error";
  readonly label: string;
  readonly tool?: string;
  readonly args?: HudRecord;
  readonly argsTruncated?: true;
  readonly argsFull?: HudRecord; // their size, and where they are
  readonly result?: HudRecord;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly durationMs?: number;
  readonly children: readonly HudNode[];
  readonly replay: boolean;
};

export type HudEntry = {
  readonly node: Omit<HudNode, "children">;
  readonly correlationId: string | null;
  readonly parent: number | null;
  readonly depth: number;
  readonly children: Vector<number>;
  /** False: made of an end whose start is not here (yet). */
  readonly started: boolean;
  /** An end that closed it only because it was the oldest: its own would be better. */
  readonly stray: PairedFrame | null;
};

/** Something that waits for a person. */
export type HudPending = {
  readonly requestId: string;
  readonly subtype: string;
  readonly label: string;
  readonly payload: HudRecord;
};

export type HudState = {
  readonly entries: Vector<HudEntry>;
  readonly roots: Vector<number>;
  /** Positions of what is going on, oldest first. */
  readonly running: readonly number[];
  /** Frames that were seen, and nodes by what frames call them. */
  readonly index: Index;
  readonly pending: Readonly<Record<string, HudPending>>;
};
export type HudDraft = { -readonly [Key in keyof HudState]: HudState[Key] };

export const EMPTY_HUD: HudState = {
  entries: emptyVector(),
  roots: emptyVector(),
  running: [],
  index: EMPTY_INDEX,
  pending: {},
};

const DEEPEST = 32;

/** Adds a node below `parent`, or at the root. Its position. */
export function addEntry(
  draft: HudDraft,
  { parent, ...entry }: Omit<HudEntry, "depth" | "children">,
): number {
  const at = draft.entries.length;
  const above = parent === null ? undefined : get(draft.entries, parent);
  // What nests deeper than anybody looks stands beside its parent: no chain of ids may grow the stack.
  const below = above && above.depth + 1 >= DEEPEST ? above.parent : parent;
  const depth = below === null ? 0 : (get(draft.entries, below)?.depth ?? 0) + 1;
  const made = { ...entry, parent: below, depth, children: emptyVector<number>() };
  draft.entries = push(draft.entries, made);
  if (entry.node.state === "running") draft.running = [...draft.running, at];
  if (below === null) draft.roots = push(draft.roots, at);
  else {
    const holder = get(draft.entries, below);
    if (holder) replaceEntry(draft, below, { ...holder, children: push(holder.children, at) });
  }
  return at;
}

/** Everything above gets a new identity too: a view that compares sees where something changed. */
export function replaceEntry(draft: HudDraft, at: number, entry: HudEntry): void {
  const was = get(draft.entries, at)?.node.state === "running";
  draft.entries = set(draft.entries, at, entry);
  const is = entry.node.state === "running";
  if (was && !is) draft.running = draft.running.filter((position) => position !== at);
  if (!was && is) draft.running = [...draft.running, at].toSorted((a, b) => a - b);
  for (let above = entry.parent; above !== null;) {
    const holder: HudEntry | undefined = get(draft.entries, above);
    if (!holder) return;
    draft.entries = set(draft.entries, above, { ...holder });
    above = holder.parent;
  }
}

const made = new WeakMap<HudEntry, HudNode>();

function nodeOf({ entries }: HudState, at: number): HudNode {
  const entry = get(entries, at) as HudEntry;
  const known = made.get(entry);
  if (known) return known;
  const children = [...values(entry.children)].map((child) =>
    nodeOf({ entries } as HudState, child),
  );
  const node = { ...entry.node, children };
  made.set(entry, node);
  return node;
}

/** The whole tree: turns at the root. What has not changed is the same object as before. */
export function hudTree(state: HudState): readonly HudNode[] {
  return [...values(state.roots)].map((at) => nodeOf(state, at));
}

/**
 * The newest `most` nodes, and what they are nested in; what is running is always among them, so a long
 * list never hides it.
 */
export function visibleNodes(state: HudState, most = 50): readonly HudNode[] {
  const chosen = new Set<number>();
  const choose = (at: number) => {
    for (let position: number | null = at; position !== null && !chosen.has(position);) {
      chosen.add(position);
      position = get(state.entries, position)?.parent ?? null;
    }
  };
  state.running.forEach(choose);
  for (let at = state.entries.length - 1; at >= 0 && chosen.size < most; at -= 1) choose(at);
  const sorted = [...chosen].toSorted((a, b) => a - b);
  const byParent = Map.groupBy(sorted, (at) => get(state.entries, at)?.parent ?? null);
  const build = (at: number): HudNode => {
    const entry = get(state.entries, at) as HudEntry;
    const shown = byParent.get(at) ?? [];
    const complete = shown.length === 0 && entry.children.length === 0;
    return complete ? nodeOf(state, at) : { ...entry.node, children: shown.map(build) };
  };
  return (byParent.get(null) ?? []).map(build);
}
