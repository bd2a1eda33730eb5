// The state of the tree view: expanded nodes, focus, selection. Only a selection made elsewhere expands nodes.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { select, useSelection, type Anchor } from "../session/selection.ts";
import { useFold, useSession } from "../session/use-session.ts";
import { values } from "../../kernel/state/vector.ts";
import { outline } from "./outline.ts";
import { createTreeBuilder } from "./build-tree.ts";
import type { TreeNode } from "./node.ts";
import { allFolds, opened, pathTo, rowsOf, type Folds, type TreeRow } from "./rows.ts";

const NO_FOLDS: Folds = new Map();
const SETTLE_MS = 150; // an arrow key held down must not change the address thirty times a second

export type TreeHandle = {
  readonly root: TreeNode | null;
  readonly rows: readonly TreeRow[];
  readonly folds: Folds;
  readonly setFolds: (folds: Folds) => void;
  readonly foldAll: (open: boolean) => void;
  readonly current: number; // the row the keyboard is on
  readonly moveTo: (row: number) => void;
  readonly selected: TreeNode | null;
  /** Immediately, or when the keyboard rests. */
  readonly choose: (node: TreeNode | null, when?: "now" | "soon") => void;
  /** A row to scroll to. */
  readonly wanted: { readonly row: number; readonly done: () => void } | null;
};

export function useTree(runId: string | null, markedOnly: boolean): TreeHandle {
  const root = useRoot(runId);
  const selection = useSelection();
  const [folds, setFolds] = useState<Folds>(NO_FOLDS);
  const [currentKey, setCurrentKey] = useState<string | null>(null);
  const rows = useMemo(() => rowsOf(root, { folds, markedOnly }), [root, folds, markedOnly]);
  const path = useMemo(() => (selection ? pathTo(root, selection) : []), [root, selection]);
  const selected = path.at(-1) ?? null;
  const { choose, isOwn } = useChoose();
  const { wantedKey, arrived } = useFollow({
    path,
    selection,
    isOwn,
    open: (way) => {
      setFolds((before) => opened(before, way.slice(0, -1)));
      setCurrentKey(way.at(-1)?.key ?? null);
    },
  });
  const rowOf = (key: string | null) =>
    key === null ? -1 : rows.findIndex(({ node }) => node.key === key);
  const wantedRow = rowOf(wantedKey);
  return {
    root,
    rows,
    folds,
    setFolds,
    foldAll: (open) => root && setFolds(allFolds(root, open)),
    current: Math.max(rowOf(currentKey), 0),
    moveTo: (row) => setCurrentKey(rows[row]?.node.key ?? null),
    selected,
    choose,
    wanted: wantedRow < 0 ? null : { row: wantedRow, done: arrived },
  };
}

function useRoot(runId: string | null): TreeNode | null {
  const runs = useSession((view) => view.runs);
  const order = useSession(({ session }) => session.runs);
  const facts = useFold(outline, (state) => state);
  const [build] = useState(createTreeBuilder);
  return useMemo(() => {
    if (runId === null) return null;
    const summary = [...values(order)].find((one) => one.runId === runId);
    return build({ runs, outline: facts, runId, rewound: summary?.rewound ?? false });
  }, [build, runs, facts, runId, order]);
}

function useChoose() {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const own = useRef<string | null>(null);
  const stop = () => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
  };
  useEffect(() => stop, []);
  const choose = useCallback((node: TreeNode | null, when: "now" | "soon" = "now") => {
    stop();
    const anchor = node && node.seq !== null ? { runId: node.runId, seq: node.seq } : null;
    if (node && !anchor) return; // what has not begun has no event to name
    const change = () => {
      own.current = anchor && nameOf(anchor);
      select(anchor ?? null);
    };
    if (when === "now") change();
    else timer.current = setTimeout(change, SETTLE_MS);
  }, []);
  const isOwn = useCallback((anchor: Anchor) => own.current === nameOf(anchor), []);
  return { choose, isOwn };
}

function nameOf({ runId, seq }: Anchor): string {
  return `${runId}:${seq}`;
}

type Follow = {
  path: readonly TreeNode[];
  selection: Anchor | null;
  isOwn: (anchor: Anchor) => boolean;
  open: (path: readonly TreeNode[]) => void;
};

/** Scrolls to a selection made elsewhere, once. */
function useFollow({ path, selection, isOwn, open }: Follow) {
  const caughtUp = useSession((view) => view.caughtUp);
  const [wantedKey, setWantedKey] = useState<string | null>(null);
  const followed = useRef<Anchor | null>(null);
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    if (!selection || followed.current === selection) return;
    const found = path.at(-1);
    if (!found || (found.seq !== selection.seq && !caughtUp)) return;
    followed.current = selection;
    if (isOwn(selection)) return;
    latest.current(path);
    // oxlint-disable-next-line react/set-state-in-effect -- the address is outside React
    setWantedKey(found.key);
  }, [path, selection, isOwn, caughtUp]);
  const arrived = useCallback(() => setWantedKey(null), []);
  return { wantedKey, arrived };
}
