// The timeline as a table, for reading and for screen readers.
import { useState } from "react";
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import type { Family } from "./family.ts";
import styles from "./table.module.css";
import type { Timeline } from "./use-timeline.ts";
import { clockTime, LANE, nameOf, offset, statusOf, took } from "./labels.ts";

type Props = {
  readonly timeline: Timeline;
  readonly current: Span | null;
  readonly path: ReadonlySet<string> | null;
  readonly label: string;
  readonly onPick: (span: Span) => void;
};

const PAGE = 500; // a table of thousands of rows takes seconds to lay out

export function SpanTable({ timeline, current, path, label, onPick }: Props) {
  const { family } = timeline;
  const [shown, setShown] = useState(PAGE);
  const spans = [...family.spans.values()].sort((a, b) => a.startedAt - b.startedAt);
  const at = spans.findIndex(({ id }) => id === current?.id);
  const count = Math.max(shown, at + 1);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div className={styles.box} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Lane</th>
            <th scope="col">Run</th>
            <th scope="col">Began</th>
            <th scope="col">Took</th>
            <th scope="col">Status</th>
            {path && <th scope="col">Critical path</th>}
          </tr>
        </thead>
        <tbody>
          {spans.slice(0, count).map((span) => (
            <tr key={span.id} aria-current={span.id === current?.id || undefined}>
              <th scope="row">
                <button type="button" className={styles.pick} onClick={() => onPick(span)}>
                  {nameOf(span)}
                </button>
              </th>
              <td>{LANE[span.lane]}</td>
              <td>{runName(family, span)}</td>
              <td title={clockTime(span.startedAt)}>
                {offset(Math.round((span.startedAt - timeline.extent.start) * 1_000) / 1_000)}
              </td>
              <td>{span.endedAt === null && timeline.live ? "…" : took(span, timeline.until)}</td>
              <td>{statusOf(span).label}</td>
              {path && <td>{path.has(span.id) ? "Yes" : ""}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {count < spans.length && (
        <Button onClick={() => setShown(count + PAGE)}>
          Show more ({spans.length - count} left)
        </Button>
      )}
    </div>
  );
}

function runName({ root, lines }: Family, { runId }: Span): string {
  if (runId === root.runId) return "This run";
  return visibleLine(lines.get(runId)?.title ?? "") || "Subagent";
}
