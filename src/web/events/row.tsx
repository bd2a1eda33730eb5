// One event in one line; opened, the whole envelope as it is in the journal.
import { useMemo } from "react";
import type { RunEvent } from "../../kernel/events/events.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useLiveStore } from "../session/use-session.ts";
import { duration, exactTime } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { pathOf } from "../use-route.ts";
import { groupOf } from "./groups.ts";
import { summaryOf } from "./summary.ts";
import styles from "./events.module.css";
import { JsonBlock } from "./json-block.tsx";
import type { Cursor } from "./use-cursor.ts";

type EventRowProps = {
  index: number;
  start: number;
  measure: (element: Element | null) => void;
  event: RunEvent | undefined;
  before: RunEvent | undefined; // of the row above
  cursor: Cursor;
  current: boolean;
  later: boolean; // than the moment that is shown
};

export function EventRow(props: EventRowProps) {
  const { index, start, measure, event, before, cursor, current, later } = props;
  if (!event) return null;
  const open = cursor.opened.has(event.session_seq);
  return (
    // The grid itself answers keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={measure}
      role="row"
      tabIndex={current ? 0 : -1}
      className={styles.row}
      aria-rowindex={index + 2}
      aria-selected={cursor.isSelected(event)}
      data-index={index}
      data-seq={event.session_seq}
      data-type={event.type}
      data-group={groupOf(event.type)}
      data-current={cursor.seq === event.session_seq || undefined}
      data-later={later || undefined}
      data-open={open || undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={({ target }) => {
        if (!(target as Element).closest("button, pre")) cursor.go(index);
      }}
    >
      <Cells event={event} before={before} open={open} onToggle={cursor.toggle} />
      {open && <Envelope event={event} onScrub={cursor.scrubTo} />}
    </div>
  );
}

type CellsProps = {
  event: RunEvent;
  before: RunEvent | undefined;
  open: boolean;
  onToggle: (sessionSeq: number) => void;
};

function Cells({ event, before, open, onToggle }: CellsProps) {
  const { session_seq, seq, created_at, type, run_id } = event;
  const summary = useMemo(() => summaryOf(event), [event]);
  const run = runName(event);
  return (
    <div role="presentation" className={styles.cells}>
      <span role="gridcell" className={styles.number}>
        <button
          type="button"
          tabIndex={-1}
          className={styles.toggle}
          aria-expanded={open}
          aria-label={`Whole event ${session_seq}`}
          onClick={() => onToggle(session_seq)}
        >
          <Icon name="right" />
        </button>
        {session_seq}
      </span>
      <span role="gridcell" className={styles.number} data-cell="seq">
        {seq}
      </span>
      <span role="gridcell" data-cell="time" title={exactTime(created_at)}>
        {clockTime(created_at)}
      </span>
      <span role="gridcell" className={styles.number} data-cell="after">
        {before && `+${duration((created_at - before.created_at) * 1_000)}`}
      </span>
      <span role="gridcell" data-cell="type">
        {visibleLine(type)}
      </span>
      <span role="gridcell" data-cell="run" title={visibleLine(run_id)}>
        {visibleLine(run)}
      </span>
      <span role="gridcell" data-cell="summary" title={summary}>
        {summary}
      </span>
    </div>
  );
}

/** The end of it tells runs apart; the beginning is the same for a day. */
function runName({ run_id, session_id }: RunEvent): string {
  if (run_id === session_id) return "session";
  return run_id.length <= 12 ? run_id : `…${run_id.slice(-10)}`;
}

function Envelope({ event, onScrub }: { event: RunEvent; onScrub: (seq: number) => void }) {
  const { sessionId } = useLiveStore();
  const { run_id: runId, seq, session_seq, hash } = event;
  const path = pathOf({ page: "session", sessionId, runId, seq, view: "events" });
  return (
    <div role="gridcell" aria-colspan={7} className={styles.envelope}>
      <div className="row flex-wrap gap-words hint">
        <Button icon="clock" onClick={() => onScrub(session_seq)}>
          Move the scrubber here
        </Button>
        <span className="inline-flex items-center">
          Link <CopyButton text={`${location.origin}${path}`} what="the link" />
        </span>
        <span title={hash}>
          hash <code>{hash.slice(0, 16)}…</code>
        </span>
      </div>
      <JsonBlock name="Whole event" value={event} />
    </div>
  );
}

/** The time of day to the millisecond: events are often closer than a second. */
function clockTime(at: number): string {
  const date = new Date(at * 1_000);
  const two = (part: number) => String(part).padStart(2, "0");
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}
