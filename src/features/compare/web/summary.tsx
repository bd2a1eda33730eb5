// Totals of the two runs and their difference.
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { RUN_STATUS } from "../../../web/session/runs/status-label.ts";
import { dollars, duration } from "../../../web/text/format.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import styles from "./compare.module.css";
import type { Totals } from "./totals.ts";
import type { Compared } from "./use-compared.ts";

type Measure = {
  readonly name: string;
  readonly of: (totals: Totals) => number | null;
  readonly words: (value: number) => string;
};
const count = (value: number) => value.toLocaleString("en");
const MEASURES: readonly Measure[] = [
  { name: "Duration", of: ({ durationMs }) => durationMs, words: duration },
  { name: "Turns", of: ({ turns }) => turns, words: count },
  { name: "Tool calls", of: ({ calls }) => calls, words: count },
  { name: "Failed calls", of: ({ failed }) => failed, words: count },
  { name: "Subagents", of: ({ subagents }) => subagents, words: count },
  { name: "Tokens", of: ({ tokens }) => tokens, words: count },
  { name: "Cost", of: ({ costUsd }) => costUsd, words: dollars },
];

export function CompareSummary({ compared: { left, right } }: { compared: Compared }) {
  if (!left || !right) return null;
  const shown = MEASURES.filter(({ of }) => (of(left) ?? 0) !== 0 || (of(right) ?? 0) !== 0);
  return (
    <table className={styles.summary} aria-label="Totals of both runs">
      <thead>
        <tr>
          <td />
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">B − A</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Outcome</th>
          <Outcome totals={left} />
          <Outcome totals={right} />
          <td>{left.status === right.status ? "the same" : "differs"}</td>
        </tr>
        {left.model !== right.model && (
          <tr>
            <th scope="row">Model</th>
            <td>{visibleLine(left.model)}</td>
            <td>{visibleLine(right.model)}</td>
            <td>differs</td>
          </tr>
        )}
        {shown.map(({ name, of, words }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{worded(of(left), words)}</td>
            <td>{worded(of(right), words)}</td>
            <td>{difference(of(left), of(right), words)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Outcome({ totals: { status, error } }: { totals: Totals }) {
  const { label, tone } = RUN_STATUS[status];
  return (
    <td>
      <Badge tone={tone} status={status} title={error === null ? undefined : visibleLine(error)}>
        {label}
      </Badge>
    </td>
  );
}

function worded(value: number | null, words: (value: number) => string): string {
  return value === null ? "–" : words(value);
}

function difference(
  left: number | null,
  right: number | null,
  words: (value: number) => string,
): string {
  if (left === null || right === null) return "–";
  if (left === right) return "the same";
  return `${right > left ? "+" : "−"}${words(Math.abs(right - left))}`;
}
