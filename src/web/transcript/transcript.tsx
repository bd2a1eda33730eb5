// The session as a log. Only what is near the screen is drawn. The view follows the end only while it
// is at the end; otherwise it stays where the reader is and says how much is new.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useState } from "react";
import { useSession } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ItemContext } from "./item-context.ts";
import { OpenedContext } from "./opened.ts";
import { rowsOf } from "./rows.ts";
import styles from "./transcript.module.css";
import { TranscriptItem, TranscriptRow } from "./transcript-row.tsx";
import { Unsent } from "./unsent.tsx";
import { useTail } from "./use-tail.ts";

const NOTHING: ReadonlySet<string> = new Set();

export function Transcript({ sessionId }: { sessionId: string }) {
  const { rows, opened, setOpened } = useRows();
  const { scroller, content, onScroll, onWheel, toEnd, atEnd, unseen } = useTail(rows.count);
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

  const list = (
    <ItemContext value={TranscriptItem}>
      <OpenedContext value={{ opened, setOpened }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows.at(item.index);
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              className={styles.row}
              data-index={item.index}
              data-undone={(row && opened.has(row.runId)) || undefined}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <TranscriptRow row={row} />
            </div>
          );
        })}
      </OpenedContext>
    </ItemContext>
  );
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
        onWheel={onWheel}
        data-status={atEnd ? "following" : "reading"}
      >
        <div ref={content}>
          <div className={styles.sizer} style={{ height: virtualizer.getTotalSize() }}>
            {list}
          </div>
          <Unsent sessionId={sessionId} />
        </div>
      </div>
      {!atEnd && <Jump unseen={unseen} onJump={toEnd} />}
    </div>
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

function useRows() {
  const order = useSession(({ session }) => session.runs);
  const runs = useSession((view) => view.runs);
  const queue = useSession(({ session }) => session.queue);
  const [opened, setOpened] = useState<ReadonlySet<string>>(NOTHING);
  const rows = useMemo(() => {
    const waiting = queue.filter(({ runId }) => runs[runId]?.status === "queued");
    const elsewhere = new Set(waiting.map(({ runId }) => runId));
    return rowsOf(order, runs, { opened, elsewhere });
  }, [order, runs, opened, queue]);
  return { rows, opened, setOpened };
}
