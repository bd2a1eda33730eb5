// The hovered or selected span: name, exact times, result. In a fixed place, so that nothing moves.
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { elapsed, exactTime } from "../text/format.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { useNow } from "../ui/use-now.ts";
import { adjust } from "../use-route.ts";
import styles from "./timeline.module.css";
import type { Timeline } from "./use-timeline.ts";
import { clockTime, LANE, nameOf, offset, statusOf, took } from "./labels.ts";

type Props = {
  readonly span: Span | null;
  readonly timeline: Timeline;
  readonly chosen: boolean;
  readonly onOpen: () => void;
};

export function Readout({ span, timeline, chosen, onOpen }: Props) {
  if (!span) {
    return (
      <p className={styles.readout} data-empty>
        Select a bar for details.{" "}
        <span className={styles.keys}>J and K go from one to the next.</span>
      </p>
    );
  }
  const { label, tone } = statusOf(span);
  const detail = visibleLine(span.detail);
  return (
    <div className={styles.readout} role="group" aria-label={chosen ? "Selected" : "Pointed at"}>
      <div className="min-w-0">
        <p className={styles.readoutName}>
          <Badge tone={tone} status={span.status}>
            {label}
          </Badge>
          <strong title={nameOf(span)}>{nameOf(span)}</strong>
          {detail !== "" && (
            <span className={styles.detail} title={detail}>
              {detail}
            </span>
          )}
        </p>
        <p className={styles.times}>
          {LANE[span.lane]} · <Length span={span} timeline={timeline} /> ·{" "}
          <time
            dateTime={new Date(span.startedAt * 1_000).toISOString()}
            title={exactTime(span.startedAt)}
          >
            {clockTime(span.startedAt)}
          </time>
          {span.endedAt !== null && ` – ${clockTime(span.endedAt)}`} · after{" "}
          {offset(Math.round((span.startedAt - timeline.extent.start) * 1_000) / 1_000)}
        </p>
      </div>
      {chosen && (
        <div className={styles.readoutActions}>
          <Button icon="thought" onClick={onOpen} title="Enter" aria-label="Open in chat">
            <span>Open in chat</span>
          </Button>
          <IconButton
            tone="plain"
            icon="list"
            label="Show details"
            title="Show details"
            onClick={() => adjust({ panel: "details" })}
          />
        </div>
      )}
    </div>
  );
}

function Length({ span, timeline }: { span: Span; timeline: Timeline }) {
  if (span.endedAt === null && timeline.live) return <Growing since={span.startedAt} />;
  return <b>{took(span, timeline.until)}</b>;
}

function Growing({ since }: { since: number }) {
  const now = useNow(1_000);
  return <b>{elapsed(now - since * 1_000)} so far</b>;
}
