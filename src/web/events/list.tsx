// The events as a grid. One row has the keyboard; opened rows show the whole envelope.
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useLive, useSource } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { EventRow } from "./row.tsx";
import styles from "./events.module.css";
import type { Cursor } from "./use-cursor.ts";
import type { ShownEvents } from "./use-shown-events.ts";
import { own } from "../../kernel/events/own.ts";

const NEAR_PX = 40; // this close to the end counts as being there
const COLUMNS = ["Event", "In run", "Time", "After", "Type", "Run", "Summary"] as const;

type Props = { shown: ShownEvents; cursor: Cursor };

export function EventList({ shown, cursor }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const current = Math.max(cursor.row, 0);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count: shown.count,
    getScrollElement: () => scroller.current,
    getItemKey: shown.seqAt,
    estimateSize: rowHeight,
    overscan: 10,
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range);
      if (current >= range.count || near.includes(current)) return near;
      return [...near, current].toSorted((a, b) => a - b); // the keyboard is not lost by scrolling
    },
  });
  const { atEnd, onScroll, toEnd } = useEnd({ shown, virtualizer, scroller });
  const onKeyDown = useListKeys({ shown, cursor, scroller, virtualizer });
  return (
    <div className="flex flex-1 min-h-0 relative">
      <div
        role="grid"
        aria-label="Events"
        aria-rowcount={shown.count + 1}
        aria-colcount={COLUMNS.length}
        className="stack flex-1 min-w-0"
        onKeyDown={onKeyDown}
      >
        <Head />
        <div ref={scroller} role="presentation" className={styles.scroller} onScroll={onScroll}>
          <div role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
            <Rows shown={shown} cursor={cursor} virtualizer={virtualizer} current={current} />
          </div>
        </div>
      </div>
      {!atEnd && (
        <div className={styles.jump}>
          <Button icon="down" onClick={toEnd}>
            To the end
          </Button>
        </div>
      )}
    </div>
  );
}

type RowsProps = Props & Pick<Scrolled, "virtualizer"> & { current: number };

function Rows({ shown, cursor, virtualizer, current }: RowsProps) {
  const { at } = useSource();
  return virtualizer
    .getVirtualItems()
    .map(({ index, key, start }) => (
      <EventRow
        key={key}
        index={index}
        start={start}
        measure={virtualizer.measureElement}
        event={shown.recording.at(shown.seqAt(index))}
        before={index > 0 ? shown.recording.at(shown.seqAt(index - 1)) : undefined}
        cursor={cursor}
        current={index === current}
        later={at !== null && shown.seqAt(index) > at}
      />
    ));
}

function Head() {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.cells}>
        {COLUMNS.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

function rowHeight(): number {
  if (matchMedia("(width <= 720px)").matches) return 52;
  return matchMedia("(pointer: coarse)").matches ? 44 : 28;
}

type Scrolled = {
  shown: ShownEvents;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  scroller: React.RefObject<HTMLDivElement | null>;
};

/** Begins at the end of what goes on, and at the beginning of what is over. */
function useEnd({ shown: { count }, virtualizer, scroller }: Scrolled) {
  const goesOn = useLive(({ session }) => Object.keys(session.open).length > 0);
  const following = useRef(goesOn);
  const [atEnd, setAtEnd] = useState(true);
  useEffect(() => {
    if (following.current && count > 0) virtualizer.scrollToIndex(count - 1, { align: "end" });
  }, [count, virtualizer]);
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const near = box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR_PX;
    following.current = near;
    setAtEnd(near);
  };
  const toEnd = () => {
    following.current = true;
    virtualizer.scrollToIndex(count - 1, { align: "end" });
  };
  return { atEnd, onScroll, toEnd };
}

const STEPS: Readonly<Record<string, (row: number, count: number) => number>> = {
  ArrowDown: (row) => row + 1,
  ArrowUp: (row) => row - 1,
  PageDown: (row) => row + 20,
  PageUp: (row) => row - 20,
  Home: () => 0,
  End: (_row, count) => count - 1,
};

function useListKeys({ shown, cursor, scroller, virtualizer }: Scrolled & { cursor: Cursor }) {
  const focusWanted = useRef(false);
  const { row, wanted, arrived } = cursor;
  const wantedRow = wanted === null ? -1 : shown.rowOf(wanted);
  useEffect(() => {
    if (wantedRow < 0) return;
    virtualizer.scrollToIndex(wantedRow, { align: focusWanted.current ? "auto" : "center" });
    arrived();
  }, [wantedRow, virtualizer, arrived]);
  useEffect(() => {
    if (!focusWanted.current) return;
    focusWanted.current = false;
    scroller.current
      ?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')
      ?.focus({ preventScroll: true });
  }, [row, scroller]);
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if ((event.target as Element).getAttribute("role") !== "row") return;
    const step = own(STEPS, event.key);
    if (step) {
      focusWanted.current = true;
      cursor.go(step(Math.max(row, 0), shown.count), "soon");
    } else if (event.key === "Enter" || event.key === " ") {
      cursor.toggle(shown.seqAt(Math.max(row, 0)));
    } else return;
    event.preventDefault();
  };
}
