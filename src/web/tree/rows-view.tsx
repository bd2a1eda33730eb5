// Rows of the tree with their keys (ARIA tree: arrows, Home, End, *, letters).
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { adjust } from "../use-route.ts";
import { TreeRowView } from "./row.tsx";
import { moveFor, typedAhead } from "./rows.ts";
import styles from "./tree.module.css";
import type { TreeHandle } from "./use-tree.ts";

const TYPING_MS = 600;

export function TreeRows({ tree }: { tree: TreeHandle }) {
  const scroller = useRef<HTMLDivElement>(null);
  const focusWanted = useRef(false);
  const { rows, current, wanted } = tree;
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.node.key ?? index,
    estimateSize: () => rowHeight(),
    overscan: 12,
    paddingEnd: 8,
    // The focused row stays mounted, or the keyboard focus would be lost.
    rangeExtractor: (range) => withRow(range, current),
  });
  const goTo = (row: number) => {
    focusWanted.current = true;
    tree.moveTo(row);
    virtualizer.scrollToIndex(row, { align: "auto" });
    const node = rows[row]?.node;
    if (node) tree.choose(node, "soon");
  };
  useEffect(() => {
    if (!focusWanted.current) return;
    focusWanted.current = false;
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, [current]);
  useEffect(() => {
    if (!wanted) return;
    virtualizer.scrollToIndex(wanted.row, { align: "center" });
    wanted.done();
  }, [wanted, virtualizer]);
  const onKeyDown = useKeys(tree, goTo);

  return (
    <div ref={scroller} className={styles.scroller}>
      <div
        role="tree"
        aria-label="Execution tree"
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <TreeRowView
              key={key}
              row={row}
              index={index}
              start={start}
              current={index === current}
              selected={row.node === tree.selected}
              tree={tree}
            />
          );
        })}
      </div>
    </div>
  );
}

function rowHeight(): number {
  return matchMedia("(pointer: coarse)").matches ? 44 : 28;
}

function withRow(range: Range, row: number): number[] {
  const near = defaultRangeExtractor(range);
  if (row >= range.count || near.includes(row)) return near;
  return [...near, row].toSorted((a, b) => a - b);
}

function useKeys(tree: TreeHandle, goTo: (row: number) => void) {
  const typed = useRef({ text: "", at: 0 });
  const { rows, current, folds } = tree;
  const letters = ({ key, timeStamp }: KeyboardEvent): string => {
    const { text, at } = typed.current;
    typed.current = { text: timeStamp - at < TYPING_MS ? text + key : key, at: timeStamp };
    return typed.current.text;
  };
  /** False: the key has no meaning here and may belong to the page. */
  const act = (event: KeyboardEvent): boolean => {
    const node = rows[current]?.node;
    if (event.key === "Enter" || event.key === " ") {
      if (node) tree.choose(node);
      if (node && event.key === "Enter") adjust({ view: "chat" });
      return true;
    }
    if (event.key === "Escape") {
      if (tree.selected) tree.choose(null);
      return tree.selected !== null;
    }
    if (event.shiftKey && event.key !== "*") return false;
    const move = moveFor(event.key, rows, current, folds);
    if (move && "fold" in move) tree.setFolds(move.fold);
    else if (move) goTo(move.to);
    if (move || event.key.startsWith("Arrow")) return true;
    if (!/^\p{L}$/u.test(event.key)) return false;
    const found = typedAhead(rows, current, letters(event));
    if (found !== null) goTo(found);
    return true;
  };
  return (event: KeyboardEvent<HTMLElement>) => {
    const elsewhere = (event.target as Element).closest("button") !== null; // it has keys of its own
    if (event.ctrlKey || event.metaKey || event.altKey || elsewhere) return;
    if (act(event)) event.preventDefault();
  };
}
