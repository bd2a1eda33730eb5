// A diff. Long ones are truncated until expanded, and invisible characters are escaped.
import { useMemo, useState } from "react";
import type { DiffView, FileDiff } from "../../kernel/api/records/records.ts";
import { plural } from "../text/format.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import type { Query } from "../use-query.ts";
import { useLate } from "../workspace/use-late.ts";
import { openFile, visiblePath } from "../workspace/open-file.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import styles from "./diff.module.css";
import { useDiff } from "./use-diff.ts";

const FIRST_LINES = 80;
const OPEN_FILES = 8; // how many are open from the start where there are many

type DiffProps = { runId: string; checkpointId?: string | undefined };

export function Diff({ runId, checkpointId }: DiffProps) {
  return <DiffOf read={useDiff({ runId, checkpointId })} />;
}

type DiffOfProps = { read: Pick<Query<DiffView>, "value" | "problem" | "refresh"> };

export function DiffOf({ read: { value: view, problem, refresh } }: DiffOfProps) {
  const isLate = useLate(view === null);
  if (problem !== null) {
    return (
      <div className="p-bar muted">
        <Problem text={`The diff could not be read: ${problem}`} />
        <Button onClick={refresh}>Try again</Button>
      </div>
    );
  }
  if (!view) return isLate ? <p className="p-bar muted">Reading the diff…</p> : null;
  if (view.files.length === 0) {
    return <p className="p-bar muted">Every file is as it was before.</p>;
  }
  return (
    <div className="stack gap-m min-w-0">
      {view.files.map((file, index) => (
        <DiffFile key={`${file.workspace} ${file.path}`} file={file} first={index < OPEN_FILES} />
      ))}
      {view.truncated && (
        <p className="p-bar muted">Not everything is shown: it is too much for one diff.</p>
      )}
    </div>
  );
}

function DiffFile({ file, first }: { file: FileDiff; first: boolean }) {
  const lines = useMemo(() => diffLines(file.text), [file.text]);
  const [whole, setWhole] = useState(lines.length <= FIRST_LINES + 20);
  const shown = whole ? lines : lines.slice(0, FIRST_LINES);
  return (
    <details className={styles.file} open={first} aria-label={`Diff of ${visiblePath(file.path)}`}>
      <summary className={styles.head}>
        <code className="min-w-0 break-anywhere">{visiblePath(file.path)}</code>
        <span className="hint">{whatOf(file)}</span>
        {!file.binary && (
          <span className={styles.count}>
            <span data-kind="added">+{file.added}</span>{" "}
            <span data-kind="removed">−{file.removed}</span>
          </span>
        )}
      </summary>
      {shown.length > 0 && <Lines lines={shown} />}
      {lines.length === 0 && <p className="p-bar muted">{whyNone(file)}</p>}
      {!whole && (
        <Button tone="quiet" onClick={() => setWhole(true)}>
          Show {plural(lines.length - FIRST_LINES, "more line")}
        </Button>
      )}
      {file.after !== null && (
        <Button tone="quiet" icon="file" onClick={() => openFile(file.path)}>
          Open the file
        </Button>
      )}
      {file.truncated && lines.length > 0 && (
        <p className="p-bar muted">The rest of this diff is too long to show.</p>
      )}
    </details>
  );
}

function Lines({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <pre className={styles.lines} tabIndex={0} aria-label="Changed lines">
      {lines.map(({ kind, text }, index) => (
        // A diff never changes once it is here: the position is the identity.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} data-kind={kind}>
          {visibleText(text)}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function whatOf({ before, after }: FileDiff): string {
  if (before === null) return "new";
  return after === null ? "deleted" : "";
}

function whyNone({ binary, truncated, before, after }: FileDiff): string {
  if (binary) return "A binary file: it has no lines to compare.";
  if (truncated) return "Too large to compare, or its content is no longer kept.";
  return before?.mode === after?.mode ? "An empty file." : "Only its permissions changed.";
}
