// Metrics of the insights page: values, formatting, changes, CSV. Pure.
import type { InsightFigures, InsightRow, InsightsView } from "../records.ts";
import { dollars, duration } from "../../../web/text/format.ts";

const COUNT = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const MEASURES = ["tokens", "cost", "runs", "failures", "tools", "time"] as const;
export type Measure = (typeof MEASURES)[number];

type Meaning = {
  readonly label: string;
  /** Null if unknown. */
  readonly of: (figures: InsightFigures) => number | null;
  readonly shown: (value: number) => string;
  readonly short: (value: number) => string; // beside a chart
  /** More is worse. */
  readonly bad?: true;
};

const count = (value: number) => COUNT.format(value);
const short = (value: number) => SHORT.format(value);

export const MEANING: Readonly<Record<Measure, Meaning>> = {
  tokens: { label: "Tokens", of: (f) => f.total_tokens, shown: count, short },
  cost: { label: "Cost", of: (f) => f.cost_usd, shown: dollars, short: dollars },
  runs: { label: "Runs", of: (f) => f.runs, shown: count, short },
  failures: { label: "Failures", of: failuresIn, shown: count, short, bad: true },
  tools: { label: "Tool calls", of: (f) => f.tool_calls, shown: count, short },
  time: {
    label: "Working time",
    of: (f) => f.model_ms + f.tool_ms,
    shown: duration,
    short: duration,
  },
};

function failuresIn({ failed_runs, tool_failures, model_errors }: InsightFigures): number {
  return failed_runs + tool_failures + model_errors;
}

export function shownValue(measure: Measure, figures: InsightFigures): string {
  const { of, shown } = MEANING[measure];
  const value = of(figures);
  if (value === null) return "unknown";
  const more = measure === "cost" && figures.unpriced_calls > 0;
  return more ? `${shown(value)} + unknown` : shown(value);
}

/** Null if there is nothing to compare with. */
export function changeOf(
  measure: Measure,
  { totals, previous }: Pick<InsightsView, "totals" | "previous">,
): { readonly text: string; readonly tone: "same" | "good" | "bad" | "neutral" } | null {
  const { of, bad } = MEANING[measure];
  const [now, before] = [of(totals), of(previous.totals)];
  if (now === null || before === null) return null;
  if (now === before) return { text: "no change", tone: "same" };
  const tone = bad ? (now > before ? "bad" : "good") : "neutral";
  if (before === 0) return { text: "new", tone };
  const part = Math.abs(now - before) / before;
  const much = part >= 9.995 ? `${short(now / before)} times` : `${Math.round(part * 100)} %`;
  if (part >= 9.995) return { text: `${much} as much`, tone };
  return { text: `${much} ${now > before ? "more" : "less"}`, tone };
}

export function isEmpty({ totals, previous }: InsightsView): boolean {
  return [totals, previous.totals].every(
    (figures) => figures.runs + figures.model_calls + figures.tool_calls === 0,
  );
}

const COLUMNS = [
  ...(["total_tokens", "input_tokens", "output_tokens", "cost_usd", "unpriced_calls"] as const),
  ...([
    "model_calls",
    "model_errors",
    "model_ms",
    "tool_calls",
    "tool_failures",
    "tool_ms",
  ] as const),
  ...(["runs", "failed_runs", "cancelled_runs", "run_ms"] as const),
] as const;

/** An unknown cost is an empty cell. */
export function toCsv({ by, rows, tools }: Pick<InsightsView, "by" | "rows" | "tools">): string {
  const lines: (string | number | null)[][] =
    by === "tool"
      ? [
          ["tool", "calls", "failures", "denied", "ms"],
          ...tools.map(({ key, calls, failures, denied, ms }) => [
            key,
            calls,
            failures,
            denied,
            ms,
          ]),
        ]
      : [
          [by, ...(by === "session" ? ["title"] : []), ...COLUMNS],
          ...rows.map((row: InsightRow) => [
            row.key,
            ...(by === "session" ? [row.title ?? ""] : []),
            ...COLUMNS.map((name) => row[name]),
          ]),
        ];
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** Prevents spreadsheets from running text as a formula. */
function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
