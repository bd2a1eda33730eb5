// One row of the chart: its lane and visible bars.
import { memo, type CSSProperties } from "react";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { plural } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import type { Bar } from "./bars.ts";
import { barsIn } from "./bars.ts";
import styles from "./chart.module.css";
import type { Row } from "./rows.ts";
import type { Scale } from "./scale.ts";
import { describe, LANE, nameOf } from "./labels.ts";

export type RowProps = {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly nameHeight: number; // 0: it stands beside the bars
  readonly height: number;
  readonly scale: Scale;
  readonly from: number;
  readonly to: number;
  readonly until: number;
  readonly current: string | null; // id of the span, where it is in this row
  readonly path: ReadonlySet<string> | null;
};

const LABELLED = 36; // narrower than this, a name says nothing
const LONGEST = 480;

type Place = { readonly inside: boolean; readonly style: CSSProperties };

/** Inside the bar, or beside it if it is too narrow. Null: no room. */
function labelPlace({ width, room, open }: Bar): Place | null {
  if (width >= LABELLED || open) {
    return { inside: true, style: { maxWidth: Math.min(width - 8, LONGEST) } };
  }
  const beside = room - width - 8;
  if (beside < LABELLED) return null;
  return { inside: false, style: { maxWidth: Math.min(beside, LONGEST), left: width } };
}

export const ChartRow = memo(function ChartRow(props: RowProps) {
  const { row, top, height, nameHeight, index, scale, from, to, until } = props;
  const { group } = row;
  const bars = barsIn(row, scale, { from, to, now: until });
  return (
    <div
      role="row"
      className={styles.row}
      style={{ transform: `translateY(${top}px)`, height }}
      data-lane={row.lane}
      data-thin={row.thin}
      data-group={group !== null}
      aria-rowindex={index + 1}
      aria-level={row.depth + 1}
      {...(group && { "aria-expanded": group.open })}
    >
      <RowName row={row} height={nameHeight || height} />
      <div role="presentation" className={styles.bars} style={{ top: nameHeight }}>
        {bars.map((bar) => (
          <BarCell key={bar.spans[0].id} bar={bar} {...props} />
        ))}
      </div>
    </div>
  );
});

function RowName({ row, height }: { row: Row; height: number }) {
  const { group, depth } = row;
  const indent: CSSProperties = { paddingInlineStart: 8 + depth * 12, height };
  if (!group) {
    return (
      <div role="rowheader" className={styles.name} style={indent}>
        <span className={row.first ? undefined : "visually-hidden"}>{LANE[row.lane]}</span>
      </div>
    );
  }
  return (
    <div role="rowheader" className={styles.name} style={indent}>
      <button
        type="button"
        className={styles.fold}
        data-toggle={group.runId}
        aria-expanded={group.open}
        tabIndex={-1}
      >
        <Icon name="right" />
        <span>{visibleLine(group.title) || "Subagent"}</span>
      </button>
    </div>
  );
}

function BarCell({ bar, current, path }: { bar: Bar } & Pick<RowProps, "current" | "path">) {
  const [span] = bar.spans;
  const several = bar.spans.length > 1;
  const selected = bar.spans.some(({ id }) => id === current);
  const place = several ? null : labelPlace(bar);
  const label = several ? `${plural(bar.spans.length, "span")}, too close to tell apart` : null;
  return (
    <div
      role="gridcell"
      id={`bar-${span.id}`}
      className={styles.bar}
      style={{ left: bar.x, width: bar.width }}
      data-span={span.id}
      data-status={several ? "several" : span.status}
      data-kind={span.kind}
      data-path={path === null ? undefined : bar.spans.some(({ id }) => path.has(id))}
      data-open={bar.open ? bar.x : undefined}
      data-selected={selected || undefined}
      aria-selected={selected}
      aria-label={label ?? describe(span)}
    >
      <span className={styles.fill} />
      {place && (
        <span className={styles.label} style={place.style} data-inside={place.inside}>
          {nameOf(span)}
        </span>
      )}
    </div>
  );
}
