// One metric per day: bars, and a table with the same numbers.
import type { InsightRow, InsightsView } from "../records.ts";
import { Download } from "./download.tsx";
import { longDay, shownDay } from "./days.ts";
import { MEANING, MEASURES, shownValue, type Measure } from "./figures.ts";
import styles from "./insights.module.css";

const HEIGHT = 100; // of the drawing; it is stretched to its place
const SHARE = 0.8; // of a day's width that its bar has
const MIN = 1.5; // so that a little is not nothing

export function DayChart({ view, measure }: { view: InsightsView; measure: Measure }) {
  const { label, of, short } = MEANING[measure];
  const values = view.rows.map(of);
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const top = view.rows[values.indexOf(most)];
  const emitted =
    most === 0 || !top
      ? `${label} by day: none.`
      : `${label} by day. The most on ${longDay(top.key)}: ${shownValue(measure, top)}.`;
  return (
    <section aria-labelledby="by-day">
      <div className={styles.head}>
        <h2 id="by-day">{label} by day</h2>
        <Download view={view} />
      </div>
      <div className="stack gap-s p-l card">
        <span className="hint" aria-hidden="true">
          {short(most)}
        </span>
        <svg
          className={styles.bars}
          viewBox={`0 0 ${view.rows.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={emitted}
        >
          {view.rows.map((row, at) => (
            <Bar key={row.key} row={row} at={at} measure={measure} most={most} />
          ))}
        </svg>
        <div className="flex justify-between hint" aria-hidden="true">
          <span>{shownDay(view.from)}</span>
          <span>{shownDay(view.to)}</span>
        </div>
      </div>
      <DayTable view={view} />
    </section>
  );
}

type BarProps = { row: InsightRow; at: number; measure: Measure; most: number };

function Bar({ row, at, measure, most }: BarProps) {
  const value = MEANING[measure].of(row);
  const part = most === 0 ? 0 : (value ?? 0) / most;
  const height = value === null ? MIN * 3 : part === 0 ? 0 : Math.max(MIN, part * HEIGHT);
  return (
    <rect
      x={at + (1 - SHARE) / 2}
      y={HEIGHT - height}
      width={SHARE}
      height={height}
      data-known={value === null ? "no" : "yes"}
      data-bad={measure === "failures"}
    >
      <title>{`${longDay(row.key)}: ${shownValue(measure, row)}`}</title>
    </rect>
  );
}

function DayTable({ view }: { view: InsightsView }) {
  return (
    <details className={styles.numbers}>
      <summary>Show as table</summary>
      <div className={styles.scroll} tabIndex={0} role="region" aria-label="Numbers by day">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {MEASURES.map((measure) => (
                <th key={measure} scope="col">
                  {MEANING[measure].label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {view.rows.toReversed().map((row) => (
              <tr key={row.key}>
                <th scope="row">{shownDay(row.key)}</th>
                {MEASURES.map((measure) => (
                  <td key={measure}>{shownValue(measure, row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
