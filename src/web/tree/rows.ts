// The visible rows of the tree and its keyboard navigation. Pure.
import type { Anchor } from "../session/selection.ts";
import { factsOf } from "./labels.ts";
import type { TreeNode } from "./node.ts";

export type TreeRow = {
  readonly node: TreeNode;
  readonly level: number; // from 1
  readonly position: number; // among its siblings, from 1
  readonly siblings: number;
  readonly parent: number; // row; -1: none
  readonly open: boolean | null; // null: there is nothing below it
};
/** What a person expanded or collapsed, by key; `opensByItself` decides the rest. */
export type Folds = ReadonlyMap<string, boolean>;
export type Shown = { readonly folds: Folds; readonly markedOnly: boolean };

/** Subagents and interrupted turns stay collapsed. */
export function opensByItself({ source, childRunId }: TreeNode): boolean {
  return childRunId === null || source.kind === "run" ? !isCut(source) : false;
}

function isCut(source: TreeNode["source"]): boolean {
  return source.kind === "turn" && source.turn.phase === "superseded";
}

export function isOpen(node: TreeNode, { folds, markedOnly }: Shown): boolean {
  return folds.get(node.key) ?? (markedOnly || opensByItself(node));
}

export function rowsOf(root: TreeNode | null, shown: Shown): TreeRow[] {
  const rows: TreeRow[] = [];
  const wanted = (node: TreeNode) => !shown.markedOnly || node.marked > 0;
  const add = (node: TreeNode, at: Omit<TreeRow, "node" | "open">): void => {
    const children = node.children.filter(wanted);
    const open = children.length === 0 ? null : isOpen(node, shown);
    const parent = rows.push({ node, ...at, open }) - 1;
    if (!open) return;
    children.forEach((child, index) =>
      add(child, { level: at.level + 1, position: index + 1, siblings: children.length, parent }),
    );
  };
  if (root && (wanted(root) || shown.markedOnly)) {
    add(root, { level: 1, position: 1, siblings: 1, parent: -1 });
  }
  return rows;
}

/** From the root to the node of an event: the one that begins with it, or the smallest around it. */
export function pathTo(root: TreeNode | null, { runId, seq }: Anchor): readonly TreeNode[] {
  if (!root) return [];
  let around: readonly TreeNode[] = [];
  const seek = (node: TreeNode, path: readonly TreeNode[]): readonly TreeNode[] | null => {
    const here = [...path, node];
    if (node.runId === runId && node.seq === seq && node !== root) return here;
    if (holds(node, { runId, seq }) && here.length > around.length) around = here;
    for (const child of node.children) {
      const found = seek(child, here);
      if (found) return found;
    }
    return null;
  };
  return seek(root, []) ?? around;
}

function holds(node: TreeNode, { runId, seq }: Anchor): boolean {
  if (node.childRunId === runId) return true;
  if (node.runId !== runId || node.seq === null || node.source.kind === "item") return false;
  return node.seq <= seq && seq <= (node.endSeq ?? Number.POSITIVE_INFINITY);
}

/** Expands the whole path. */
export function opened(folds: Folds, path: readonly TreeNode[]): Folds {
  const closed = path.filter((node) => !(folds.get(node.key) ?? opensByItself(node)));
  return closed.length === 0 ? folds : new Map([...folds, ...closed.map(asOpen)]);
}

function asOpen({ key }: TreeNode): [string, boolean] {
  return [key, true];
}

export function allFolds(root: TreeNode, open: boolean): Folds {
  const folds = new Map<string, boolean>();
  const visit = (node: TreeNode): void => {
    if (node.children.length > 0) folds.set(node.key, open || node === root);
    node.children.forEach(visit);
  };
  visit(root);
  return folds;
}

export type Move = { readonly to: number } | { readonly fold: Folds } | null;

/** Keyboard navigation of a tree. Null: the key has no meaning. */
export function moveFor(key: string, rows: readonly TreeRow[], at: number, folds: Folds): Move {
  const row = rows[at];
  if (!row) return rows.length > 0 ? { to: 0 } : null;
  const fold = (open: boolean) => ({ fold: new Map([...folds, [row.node.key, open] as const]) });
  switch (key) {
    case "ArrowDown":
      return { to: Math.min(at + 1, rows.length - 1) };
    case "ArrowUp":
      return { to: Math.max(at - 1, 0) };
    case "Home":
      return { to: 0 };
    case "End":
      return { to: rows.length - 1 };
    case "ArrowRight":
      if (row.open === false) return fold(true);
      return row.open ? { to: at + 1 } : null;
    case "ArrowLeft":
      if (row.open) return fold(false);
      return row.parent >= 0 ? { to: row.parent } : null;
    case "*":
      return { fold: siblingsOpen(rows, row, folds) };
    default:
      return null;
  }
}

function siblingsOpen(rows: readonly TreeRow[], { parent }: TreeRow, folds: Folds): Folds {
  const siblings = rows.filter((row) => row.parent === parent && row.open === false);
  return new Map([...folds, ...siblings.map(({ node }) => asOpen(node))]);
}

/** Type-ahead: repeating a letter goes to the next match. */
export function typedAhead(
  rows: readonly TreeRow[],
  at: number,
  typed: string,
  labelOf = (node: TreeNode) => factsOf(node).label,
): number | null {
  const letters = typed.toLowerCase();
  const again = new Set(letters).size === 1;
  const wanted = again ? letters.slice(0, 1) : letters;
  const from = again ? at + 1 : at;
  for (let step = 0; step < rows.length; step += 1) {
    const index = (Math.max(0, from) + step) % rows.length;
    const row = rows[index];
    if (row && words(labelOf(row.node)).startsWith(wanted)) return index;
  }
  return null;
}

function words(label: string): string {
  return label.replace(/^[^\p{L}\p{N}]+/u, "").toLowerCase();
}
