// The virtualized session list; loads older sessions near its end.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent } from "react";
import type { SessionRecord } from "../../../kernel/client/records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import type { ListRow } from "./list.ts";
import { SessionRow, type RowDoings } from "./row.tsx";
import styles from "../sidebar.module.css";

export type RowsState = {
  readonly current: string | null;
  readonly isUnread: (session: SessionRecord) => boolean;
  readonly renaming: string | null;
  readonly doings: RowDoings;
};
type SessionRowsProps = RowsState & {
  readonly rows: readonly ListRow[];
  readonly onEnd: () => void;
};
const NEAR = 12; // rows

export function SessionRows(props: SessionRowsProps) {
  const { rows, current, isUnread, renaming, doings, onEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => (rows[index]?.kind === "head" ? 32 : 52),
    overscan: NEAR,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const nearEnd = last >= 0 && last >= rows.length - NEAR;
  useEffect(() => {
    if (nearEnd) onEnd();
  }, [nearEnd, onEnd]);

  const at = rows.findIndex(({ key }) => key === current);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (at < 0 || shown.current === current) return;
    shown.current = current; // once: a list that changes must not scroll away from its reader
    virtualizer.scrollToIndex(at, { align: "auto" });
  }, [at, current, virtualizer]);

  return (
    <div ref={scroller} className={styles.list}>
      <ul style={{ height: virtualizer.getTotalSize() }} onKeyDown={moveFocus}>
        {items.map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {row.kind === "head" ? (
                <h2 className={styles.group}>{visibleLine(row.text)}</h2>
              ) : (
                <SessionRow
                  row={row}
                  current={row.key === current}
                  unread={isUnread(row.session)}
                  renaming={row.key === renaming}
                  doings={doings}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Arrow keys move between sessions. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...event.currentTarget.querySelectorAll("a")].toSorted(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const row = document.activeElement?.closest("li")?.querySelector("a");
  const next = links[links.indexOf(row as HTMLAnchorElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
