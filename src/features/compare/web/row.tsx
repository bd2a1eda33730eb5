// One row of the comparison. Differing words are marked; on narrow screens the two sides are stacked.
import { memo, useMemo } from "react";
import { duration } from "../../../web/text/format.ts";
import { ToneDot } from "../../../web/ui/badge.tsx";
import { Icon } from "../../../web/ui/icon.tsx";
import { Link } from "../../../web/ui/link.tsx";
import type { AlignedRow } from "./align.ts";
import styles from "./compare.module.css";
import type { Step } from "./steps.ts";
import { diffText, type TextPart } from "./text-diff.ts";
import { firstChars, truncate } from "../../../kernel/text/truncate.ts";

/** `left` and `right` are the sessions of the two runs. */
type RowProps = { row: AlignedRow<Step>; left: string; right: string };

const KIND: Record<AlignedRow<Step>["kind"], string> = {
  same: "Equal",
  changed: "Changed",
  left: "Only in A",
  right: "Only in B",
};

export const CompareRow = memo(function CompareRow({ row, left, right }: RowProps) {
  const texts = useDifference(row.left, row.right, "text");
  const results = useDifference(row.left, row.right, "result");
  return (
    <div className={styles.pair}>
      <span className="visually-hidden">{KIND[row.kind]}:</span>
      <Cell side="left" step={row.left} sessionId={left} texts={texts} results={results} />
      <Cell side="right" step={row.right} sessionId={right} texts={texts} results={results} />
    </div>
  );
});

/** Null if both are equal or only one exists. */
function useDifference(
  left: Step | null,
  right: Step | null,
  part: "text" | "result",
): readonly TextPart[] | null {
  const [one, two] = [left?.[part], right?.[part]];
  return useMemo(
    () => (one === undefined || two === undefined || one === two ? null : diffText(one, two)),
    [one, two],
  );
}

type CellProps = {
  side: "left" | "right";
  step: Step | null;
  sessionId: string;
  texts: readonly TextPart[] | null;
  results: readonly TextPart[] | null;
};

function Cell({ side, step, sessionId, texts, results }: CellProps) {
  if (!step) return <div className={styles.cell} data-side={side} data-empty="true" />;
  const { runId, seq, depth } = step;
  const alone = texts === null && results === null;
  return (
    <div
      className={styles.cell}
      data-side={side}
      style={depth > 0 ? { paddingLeft: 8 + depth * 16 } : undefined}
    >
      <div className="row gap-6 muted">
        <b className={styles.letter} title={side === "left" ? "Run A" : "Run B"}>
          {side === "left" ? "A" : "B"}
        </b>
        <ToneDot tone={step.tone} title={step.state} />
        <Icon name={step.icon} />
        <Link
          className={styles.label}
          to={{ page: "session", sessionId, runId, seq }}
          title={`Open in chat: ${step.label}`}
        >
          {step.label}
        </Link>
        <span className="flex-none ml-auto small">
          {step.turn !== null && `turn ${step.turn}`}
          {step.durationMs !== null && ` · ${duration(step.durationMs)}`}
          {step.tone !== "neutral" && step.tone !== "good" && ` · ${step.state}`}
        </span>
      </div>
      {texts && <Marked parts={texts} side={side} name="Text" />}
      {results && <Marked parts={results} side={side} name="Result" />}
      {alone && <Alone step={step} />}
    </div>
  );
}

/** The text of a step that only one side has, unless its label already says it. */
function Alone({ step: { text, label } }: { step: Step }) {
  if (text === label || text.length < 3) return null;
  return (
    <div className={styles.alone} data-part="alone">
      {shorten(text)}
    </div>
  );
}

function Marked({ parts, side, name }: { parts: readonly TextPart[]; side: string; name: string }) {
  const shown = parts.filter(({ kind }) => kind === "same" || kind === side);
  if (shown.length === 0) return null;
  return (
    <div className={styles.text} tabIndex={0} role="group" aria-label={name}>
      {shown.map(({ kind, text }, index) =>
        kind === "same" ? (
          // A difference never changes: the position is the identity.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index}>{shorten(text)}</span>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <mark key={index} data-side={kind}>
            {truncate(text, MAX_CHANGED)}
          </mark>
        ),
      )}
    </div>
  );
}

const MAX_CHANGED = 20_000;
const AROUND = 160; // characters of what is equal, beside what is not

function shorten(text: string): string {
  if (text.length <= AROUND * 3) return text;
  return `${firstChars(text, AROUND)} … ${text.slice(-AROUND).replace(/^[\uDC00-\uDFFF]/, "")}`;
}
