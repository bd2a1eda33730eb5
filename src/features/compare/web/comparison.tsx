import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useAction } from "../../../web/keys/actions.ts";
import { plural } from "../../../web/text/format.ts";
import { Button } from "../../../web/ui/button.tsx";
import { foldSame, type AlignedRow, type ShownRow } from "./align.ts";
import { CompareRow } from "./row.tsx";
import { CompareSummary } from "./summary.tsx";
import styles from "./compare.module.css";
import type { Step } from "./steps.ts";
import { useCompared, type Compared, type Side } from "./use-compared.ts";

export function Comparison({ left, right }: { left: Side; right: Side }) {
  const compared = useCompared(left, right);
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const margin = useHeight(top);
  const { shown, open } = useShown(compared);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => keyOf(shown[index], index),
    estimateSize: () => 44,
    overscan: 8,
    paddingEnd: 16,
    scrollMargin: margin,
  });
  const at = useDifferences(shown, (index) =>
    virtualizer.scrollToIndex(index, { align: "center" }),
  );
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      tabIndex={0}
      role="region"
      aria-label="Comparison"
    >
      <div ref={top}>
        <CompareSummary compared={compared} />
        <Counts rows={compared.rows} />
      </div>
      <div
        role="list"
        aria-label="Steps of both runs"
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            role="listitem"
            className={styles.row}
            data-index={index}
            data-kind={kindOf(shown[index])}
            data-current={index === at || undefined}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            <OneRow
              one={shown[index]}
              left={left.source.sessionId}
              right={right.source.sessionId}
              onOpen={open}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

type Shown = ShownRow<AlignedRow<Step>>;
type OneRowProps = {
  one: Shown | undefined;
  left: string;
  right: string;
  onOpen: (first: number) => void;
};

function OneRow({ one, left, right, onOpen }: OneRowProps) {
  if (!one) return null;
  if (one.kind === "row") return <CompareRow row={one.row} left={left} right={right} />;
  return (
    <Button tone="quiet" icon="right" onClick={() => onOpen(one.first)}>
      {plural(one.count, "equal step")}
    </Button>
  );
}

function kindOf(one: Shown | undefined): string {
  return one?.kind === "row" ? one.row.kind : "fold";
}

/** The height of what scrolls above the rows. */
function useHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const observer = new ResizeObserver(() => setHeight(box.offsetHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, [element]);
  return height;
}

/** Keys that go to the next difference; returns the current one. */
function useDifferences(shown: readonly Shown[], show: (index: number) => void): number {
  const [at, setAt] = useState(-1);
  const differences = useMemo(
    () =>
      shown.flatMap((one, index) => (kindOf(one) === "same" || one.kind === "fold" ? [] : index)),
    [shown],
  );
  useSteps(differences.length, (step) => {
    const to =
      step > 0 ? differences.find((one) => one > at) : differences.findLast((one) => one < at);
    if (to === undefined) return;
    setAt(to);
    show(to);
  });
  return at;
}

function keyOf(one: Shown | undefined, index: number): string {
  if (!one) return String(index);
  if (one.kind === "fold") return `fold ${one.first}`;
  return `${one.row.left?.id ?? ""} ${one.row.right?.id ?? ""}`;
}

function useShown({ rows }: Compared) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const shown = useMemo(() => foldSame(rows, opened), [rows, opened]);
  return { shown, open: (first: number) => setOpened(new Set([...opened, first])) };
}

function useSteps(count: number, go: (step: 1 | -1) => void): void {
  const unavailable = count === 0 ? "The runs do not differ" : null;
  useAction({
    id: "compare.next",
    title: "Next difference",
    section: "View",
    keys: ["j"],
    unavailable,
    run: () => go(1),
  });
  useAction({
    id: "compare.previous",
    title: "Previous difference",
    section: "View",
    keys: ["k"],
    unavailable,
    run: () => go(-1),
  });
}

function Counts({ rows }: { rows: readonly AlignedRow<Step>[] }) {
  const count = (kind: AlignedRow<Step>["kind"]) => rows.filter((row) => row.kind === kind).length;
  return (
    <p className={styles.counts} role="status" aria-label="Differences">
      <span>{plural(count("same"), "equal step")}</span>
      <span data-kind="changed">{count("changed")} changed</span>
      <span data-kind="left">{count("left")} only in A</span>
      <span data-kind="right">{count("right")} only in B</span>
    </p>
  );
}
