// One row per group, largest first, with a bar for the selected metric.
import type { ReactNode } from "react";
import type { InsightRow, InsightsView, InsightTool } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { duration, plural } from "../../../web/text/format.ts";
import { Link } from "../../../web/ui/link.tsx";
import type { Group } from "./asked.ts";
import { GROUP_LABELS } from "./choices.tsx";
import { Download } from "./download.tsx";
import { MEANING, MEASURES, shownValue, type Measure } from "./figures.ts";
import styles from "./insights.module.css";

export function GroupTable({ view, measure }: { view: InsightsView; measure: Measure }) {
  const { by, left_out: more } = view;
  const word = GROUP_LABELS[by as Group];
  return (
    <section aria-labelledby="by-group">
      <div className={styles.head}>
        <h2 id="by-group">By {word.toLowerCase()}</h2>
        <Download view={view} />
      </div>
      <div
        className={styles.scroll}
        tabIndex={0}
        role="region"
        aria-label={`Numbers by ${word.toLowerCase()}`}
      >
        {by === "tool" ? <Tools tools={view.tools} /> : <Rows view={view} measure={measure} />}
      </div>
      {more > 0 && <p className={styles.hint}>{plural(more, "more is", "more are")} left out.</p>}
    </section>
  );
}

function Rows({ view, measure }: { view: InsightsView; measure: Measure }) {
  const { rows, by } = view;
  const { of } = MEANING[measure];
  const most = Math.max(0, ...rows.map((row) => of(row) ?? 0));
  return (
    <Table head={[GROUP_LABELS[by as Group], ...MEASURES.map((each) => MEANING[each].label)]}>
      {rows.map((row) => (
        <tr key={row.key} data-key={row.key}>
          <Named part={most === 0 ? 0 : (of(row) ?? 0) / most}>
            <RowName row={row} by={by as Group} />
          </Named>
          {MEASURES.map((each) => (
            <td key={each}>{shownValue(each, row)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function RowName({ row, by }: { row: InsightRow; by: Group }) {
  if (by !== "session") return visibleLine(row.key) || "none";
  const title = visibleLine(row.title ?? "") || "Untitled";
  if (row.deleted) return <span className="muted">{title} (deleted)</span>;
  return <Link to={{ page: "session", sessionId: row.key }}>{title}</Link>;
}

function Tools({ tools }: { tools: readonly InsightTool[] }) {
  const most = Math.max(0, ...tools.map(({ calls }) => calls));
  return (
    <Table head={["Tool", "Calls", "Failures", "Refused", "Time"]}>
      {tools.map(({ key, calls, failures, denied, ms }) => (
        <tr key={key} data-key={key}>
          <Named part={most === 0 ? 0 : calls / most}>{visibleLine(key)}</Named>
          <td>{calls.toLocaleString("en")}</td>
          <td>{failures.toLocaleString("en")}</td>
          <td>{denied.toLocaleString("en")}</td>
          <td>{duration(ms)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Table({ head, children }: { head: readonly string[]; children: ReactNode[] }) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {head.map((word) => (
            <th key={word} scope="col">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {children.length > 0 ? (
          children
        ) : (
          <tr>
            <td colSpan={head.length}>None in these days.</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Named({ part, children }: { part: number; children: ReactNode }) {
  return (
    <th scope="row">
      <div className={styles.name}>{children}</div>
      <svg
        className={styles.part}
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect width={part * 100} height="1" />
      </svg>
    </th>
  );
}
