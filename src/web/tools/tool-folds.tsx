// The collapsible sections of a tool card: changes, content, output, and the raw call.
import { Suspense } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { isPreview, rollbackResult } from "../files/rollback/result.ts";
import { RollbackText } from "../files/rollback/text.tsx";
import { plural } from "../text/format.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { BoundedOutput } from "./bounded-output.tsx";
import type { Fold } from "./folds.tsx";
import styles from "./card.module.css";
import { numberResult, textArgument } from "../../kernel/state/tools/arguments.ts";
import type { ToolKind } from "../../kernel/state/tools/display.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";

type FoldOf = (item: ToolItem) => Fold | null;
const none: FoldOf = () => null;
const answer: FoldOf = (item) => outputFold(item, { before: "Answer, " });

/** Other tools show their output. */
const CONTENT: Partial<Record<ToolKind, FoldOf>> = {
  exec: none, // a terminal is never folded away
  process: none,
  read: (item) => outputFold(item),
  list_files: (item) => outputFold(item),
  search_files: (item) => {
    const hits = numberResult(item, "matches");
    return outputFold(item, hits === null ? {} : { name: plural(hits, "hit") });
  },
  write: (item) => wordsFold(item, "content"),
  append: (item) => wordsFold(item, "content"),
  edit: none, // the diff says it better
  rollback: previewFold,
  compress: none,
  web_fetch: (item) => outputFold(item),
  browser: (item) => outputFold(item),
  delegate: none,
  clarify: none,
  plan: none,
  todo: none,
};

export function foldsOf(item: ToolItem, kind: ToolKind, runId: string): Fold[] {
  const raw: Fold = { name: "Raw", content: () => <Raw item={item} /> };
  return [diffFold(item, runId), (CONTENT[kind] ?? answer)(item), raw].filter(
    (fold) => fold !== null,
  );
}

function diffFold({ changes, checkpointId }: ToolItem, runId: string): Fold | null {
  if (changes.length === 0 || checkpointId === null) return null;
  return {
    name: changes.length === 1 ? "Diff" : `Diff of ${plural(changes.length, "file")}`,
    content: () => (
      <div className={styles.diff}>
        <LazyDiff runId={runId} checkpointId={checkpointId} />
      </div>
    ),
  };
}

function wordsFold(item: ToolItem, name: string): Fold | null {
  const content = textArgument(item, name);
  if (content === null) return null;
  return { name: linesOf(content), content: () => <Lines text={content} /> };
}

type FoldName = { readonly name?: string; readonly before?: string };

function outputFold({ output }: ToolItem, { name, before = "" }: FoldName = {}): Fold | null {
  if (!output || output.head === "") return null;
  return {
    name: name ?? `${before}${linesOf(output.head + output.tail)}`,
    content: () => <BoundedOutput output={output} render={(text) => <Lines text={text} />} />,
  };
}

/** A preview was shown where it was requested. */
function previewFold(item: ToolItem): Fold | null {
  const result = isPreview(item) ? rollbackResult(item) : null;
  if (!result) return null;
  const content = () => (
    <div className="p-foot">
      <RollbackText result={result} tense="would" />
    </div>
  );
  return { name: "What it would do", content };
}

function Raw({ item }: { item: ToolItem }) {
  return (
    <>
      <Lines text={JSON.stringify(item.plan, null, 2)} />
      <p className={styles.hash}>SHA-256 of the plan: {item.planHash}</p>
      {item.result !== null && <Lines text={JSON.stringify(item.result, null, 2)} />}
    </>
  );
}

function Lines({ text }: { text: string }) {
  return (
    <pre className={styles.lines} tabIndex={0}>
      {visibleText(text)}
    </pre>
  );
}

function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function linesOf(text: string): string {
  return plural(lineCount(text), "line");
}

// Loads the diff on first use.
const Diff = lazyPart(() => import("../files/diff.tsx"), "Diff");

function LazyDiff(props: { runId: string; checkpointId?: string | undefined }) {
  const broken = () => <p role="alert">The diff cannot be shown. Reload the page to try again.</p>;
  return (
    <ErrorBoundary fallback={broken}>
      <Suspense fallback={<p className="p-bar muted">Reading the diff…</p>}>
        <Diff {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
