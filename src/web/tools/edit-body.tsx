// The edit of a call as a short diff; "Diff" shows all of it.
import { useMemo } from "react";
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { plural } from "../text/format.ts";
import { useFold } from "../transcript/folds.ts";
import { linesOfCall } from "./inline-diff.ts";
import styles from "./tool-card.module.css";

const FIRST_LINES = 12;
const MAX_LINES = 400;
const MAX_CHARACTERS = 1_000; // of one line

export function EditBody({ item }: { item: ToolItem }) {
  const lines = useMemo(() => linesOfCall(item) ?? [], [item]);
  const [whole, setWhole] = useFold(`lines ${item.callId}`, false);
  const asking = item.request !== null && item.request.answer === null;
  if (lines.length === 0 || asking) return null;
  const bounded = lines.length <= FIRST_LINES + 4 ? lines.length : FIRST_LINES;
  const shown = lines.slice(0, whole ? MAX_LINES : bounded);
  return (
    <>
      <pre className={styles.edit} tabIndex={0} aria-label="Written lines">
        {shown.map(({ kind, text }, at) => (
          // The lines of a call never change.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={at} data-kind={kind}>
            {kind === "added" ? "+ " : "− "}
            {visibleText(text.slice(0, MAX_CHARACTERS))}
            {text.length > MAX_CHARACTERS && " …"}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > bounded && (
        <button type="button" className={styles.more} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show ${plural(lines.length - bounded, "more line")}`}
        </button>
      )}
      {whole && lines.length > MAX_LINES && (
        <p className="flex gap-l p-tab hint">
          {lines.length - MAX_LINES} more lines are in the diff.
        </p>
      )}
    </>
  );
}
