// The virtualized transcript. Follows the end only while it is at the end; otherwise it stays and counts what
// is new.
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  memo,
  useDeferredValue,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
  useEffect,
} from "react";
import { get } from "../../kernel/state/vector.ts";
import { useAction } from "../keys/actions.ts";
import { useSession, useSource } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ALL_GROUPS, createFolds, FoldsContext, groupKey, type Folds } from "./folds.ts";
import { GroupingContext } from "./grouping-context.ts";
import { createGrouping } from "./groups.ts";
import { ItemsContext, type DrawItems } from "./item-context.ts";
import { NestedItems } from "./nested-items.tsx";
import { roughSize } from "./row-size.ts";
import { rowsOf, type ItemPlace, type Row, type Rows } from "./rows.ts";
import { SelectedContext } from "./selected-place.ts";
import styles from "./transcript.module.css";
import { TranscriptRow } from "./transcript-row.tsx";
import { Unsent } from "./unsent.tsx";
import { useBringIntoView, useSelectedPlaces } from "./use-selected.ts";
import { useTail } from "./use-tail.ts";
import { useApp } from "../app-context.ts";

export function Transcript({ sessionId }: { sessionId: string }) {
  const [folds] = useState(createFolds);
  const [grouping] = useState(createGrouping);
  const places = useSelectedPlaces();
  const rows = useRows({ folds, grouping, selected: places[0] ?? null });
  const { scroller, content, reader, hold, isHeld, toEnd, atEnd, unseen } = useTail(rows.things);
  const virtualizer = useVirtualRows(rows, scroller);
  useBringIntoView({
    places,
    row: places[0] ? rows.rowOf(places[0]) : null,
    scroller,
    isHeld,
    toRow(row) {
      hold();
      if (row !== null) virtualizer.scrollToIndex(row, { align: "center" });
    },
  });
  useFoldActions(folds);
  useOnSent(sessionId, toEnd);

  return (
    <div className="flex-1 min-h-0 relative">
      <div
        ref={scroller}
        className={styles.scroller}
        role="log"
        aria-label="Transcript"
        aria-live="off"
        tabIndex={0}
        {...reader}
        data-status={atEnd ? "following" : "reading"}
      >
        <div ref={content}>
          <div className="w-full relative" style={{ height: virtualizer.getTotalSize() }}>
            <Shared {...{ folds, grouping, places }}>
              {virtualizer.getVirtualItems().map(({ key, index, start }) => (
                <PlacedRow
                  key={key}
                  ref={virtualizer.measureElement}
                  rows={rows}
                  index={index}
                  start={start}
                />
              ))}
            </Shared>
          </div>
          <Unsent sessionId={sessionId} />
        </div>
      </div>
      {!atEnd && <Jump unseen={unseen} onJump={toEnd} />}
    </div>
  );
}

type PlacedRowProps = {
  ref: (element: HTMLElement | null) => void;
  rows: Rows;
  index: number;
  start: number; // px from the top
};

/** Memoized: scrolling draws new rows only. */
const PlacedRow = memo(function PlacedRow({ ref, rows, index, start }: PlacedRowProps) {
  const row = rows.at(index);
  return (
    <div
      ref={ref}
      className={styles.row}
      data-index={index}
      data-within={withinOf(row)}
      style={{ transform: `translateY(${start}px)` }}
    >
      <TranscriptRow row={row} />
    </div>
  );
});

function useVirtualRows(rows: Rows, scroller: RefObject<HTMLElement | null>) {
  const source = useSource();
  const overscan = useDeferredValue(8, 1); // what nobody sees yet is drawn after what is seen
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  return useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    getItemKey: rows.keyAt,
    estimateSize: (index) => {
      const row = rows.at(index);
      const run = row && source.getState().runs[row.runId];
      return roughSize(row, run && row.kind === "item" ? get(run.items, row.index) : undefined);
    },
    overscan,
    paddingStart: 16,
    paddingEnd: 8,
    // Starts at the end, so that the beginning is not drawn first.
    initialOffset: Number.MAX_SAFE_INTEGER,
    initialRect: { width: 0, height: window.innerHeight },
  });
}

function withinOf(row: Row | undefined): string | undefined {
  if (row?.undone && row.kind !== "undone") return "undone";
  return row?.kind === "item" && row.grouped ? "group" : undefined;
}

type SharedProps = {
  folds: Folds;
  grouping: ReturnType<typeof createGrouping>;
  places: readonly ItemPlace[];
  children: ReactNode;
};

const drawItems: DrawItems = (runId, from) => <NestedItems runId={runId} from={from} />;

/** Contexts for rows at any depth. */
function Shared({ folds, grouping, places, children }: SharedProps) {
  return (
    <ItemsContext value={drawItems}>
      <GroupingContext value={grouping}>
        <FoldsContext value={folds}>
          <SelectedContext value={places}>{children}</SelectedContext>
        </FoldsContext>
      </GroupingContext>
    </ItemsContext>
  );
}

function Jump({ unseen, onJump }: { unseen: number; onJump: () => void }) {
  return (
    <div className={styles.jump}>
      <Button icon="down" onClick={onJump}>
        {unseen > 0 ? `${unseen} new` : "To the end"}
      </Button>
    </div>
  );
}

function useFoldActions(folds: Folds): void {
  const setAll = (open: boolean) => {
    folds.clear(groupKey(""));
    folds.set(ALL_GROUPS, open);
  };
  useAction({
    id: "transcript.expand",
    title: "Expand all groups of calls",
    section: "View",
    run: () => setAll(true),
  });
  useAction({
    id: "transcript.collapse",
    title: "Collapse all groups of calls",
    section: "View",
    run: () => setAll(false),
  });
}

type RowsOptions = {
  folds: Folds;
  grouping: ReturnType<typeof createGrouping>;
  selected: ItemPlace | null;
};

function useRows({ folds, grouping, selected }: RowsOptions) {
  const order = useSession(({ session }) => session.runs);
  const runs = useSession((view) => view.runs);
  const queue = useSession(({ session }) => session.queue);
  const states = useSyncExternalStore(folds.subscribe, folds.states);
  return useMemo(() => {
    const waiting = queue.filter(({ runId }) => runs[runId]?.status === "queued");
    const elsewhere = new Set(waiting.map(({ runId }) => runId));
    return rowsOf(order, runs, { shown: { folds: states, elsewhere, selected }, grouping });
  }, [order, runs, states, queue, selected, grouping]);
}

// Called when this window sends a message, to scroll to it.
function useOnSent(sessionId: string, onSent: () => void): void {
  const { outbox } = useApp();
  useEffect(() => {
    const ids = () =>
      new Set(
        outbox
          .getState()
          .filter((entry) => entry.sessionId === sessionId)
          .map(({ messageId }) => messageId),
      );
    let known = ids();
    return outbox.subscribe(() => {
      const now = ids();
      const isNew = [...now].some((id) => !known.has(id));
      known = now;
      if (isNew) onSent();
    });
  }, [outbox, sessionId, onSent]);
}
