// The session as a log. Only what is near the screen is drawn. The view follows the end only while it
// is at the end; otherwise it stays where the reader is and says how much is new.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo } from "react";
import { useSession } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ItemContext } from "./item-context.ts";
import { rowsOf } from "./rows.ts";
import styles from "./transcript.module.css";
import { TranscriptItem, TranscriptRow } from "./transcript-row.tsx";
import { Unsent } from "./unsent.tsx";
import { useTail } from "./use-tail.ts";

export function Transcript({ sessionId }: { sessionId: string }) {
  const order = useSession(({ session }) => session.runs);
  const runs = useSession((view) => view.runs);
  const rows = useMemo(() => rowsOf(order, runs), [order, runs]);
  const { scroller, content, onScroll, toEnd, atEnd, unseen } = useTail(rows.count);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    getItemKey: rows.keyAt,
    estimateSize: () => 56,
    overscan: 8,
    paddingStart: 16,
    paddingEnd: 8,
  });

  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="log"
        aria-label="Transcript"
        aria-live="off"
        tabIndex={0}
        onScroll={onScroll}
        data-status={atEnd ? "following" : "reading"}
      >
        <div ref={content}>
          <div className={styles.sizer} style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map((item) => (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                className={styles.row}
                data-index={item.index}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <ItemContext value={TranscriptItem}>
                  <TranscriptRow row={rows.at(item.index)} />
                </ItemContext>
              </div>
            ))}
          </div>
          <Unsent sessionId={sessionId} />
        </div>
      </div>
      {!atEnd && (
        <div className={styles.jump}>
          <Button icon="down" onClick={toEnd}>
            {unseen > 0 ? `${unseen} new` : "To the end"}
          </Button>
        </div>
      )}
    </div>
  );
}
