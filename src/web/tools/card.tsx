// One tool call: title, status, output, changes, and its request. Exact arguments and result are one click
// away.
import { type ComponentType, type ReactNode, useMemo } from "react";
import type { RequestState, ToolItem, ToolStatus } from "../../kernel/state/run/items.ts";
import { RequestCard } from "../requests/request-card.tsx";
import { useOver, type Over } from "../requests/request-over.ts";
import { duration, plural } from "../text/format.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { BackgroundProcess } from "./background-process.tsx";
import { BrowserBody } from "./browser-body.tsx";
import { DelegateBody } from "./delegate-body.tsx";
import { ExecBody } from "./exec-body.tsx";
import { useFolds } from "./folds.tsx";
import { foldsOf } from "./tool-folds.tsx";
import styles from "./card.module.css";
import { textArgument, numberResult, numberArgument } from "../../kernel/state/tools/arguments.ts";
import { TOOL_DISPLAY, toolKind, type ToolKind } from "../../kernel/state/tools/display.ts";
import { TOOL_STATE } from "./status-label.ts";
import { FileLink } from "../workspace/file/link.tsx";
import { isPreview, rollbackResult } from "../files/rollback/result.ts";
import { RollbackText } from "../files/rollback/text.tsx";
import { linesOfCall, sizeOf } from "./inline-diff.ts";
import type { FileChange } from "../../kernel/events/catalogue/files.ts";
import { useRun } from "../session/use-session.ts";
import { useFold } from "../transcript/folds.ts";

// The edit of a call as a short diff; "Diff" shows all of it.
const FIRST_LINES = 12;
const MAX_LINES = 400;
const MAX_CHARACTERS = 1_000; // of one line

function EditBody({ item }: { item: ToolItem }) {
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
          <span className="block px-l" key={at} data-kind={kind}>
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

// A plan or to-do step as one line; the panel above the transcript shows all.
const ACTION: Readonly<Record<string, (step: string, item: ToolItem) => string>> = {
  create: (_step, item) => `Made a plan: ${textArgument(item, "goal") ?? ""}`,
  step_started: (step) => `Started ${step}`,
  step_completed: (step) => `Finished ${step}`,
  complete: () => "Completed the plan",
};

function PlanLine({ item, runId }: { item: ToolItem; runId: string }) {
  const index = numberArgument(item, "index");
  const name = useRun(runId, ({ plan }) => plan?.steps[(index ?? 0) - 1]?.name);
  const step = name === undefined ? `step ${index ?? ""}` : `step ${index}: ${name}`;
  const say = ACTION[textArgument(item, "action") ?? ""];
  return <Line item={item} text={say ? say(step, item) : item.label} />;
}

function TodoLine({ item }: { item: ToolItem }) {
  const { items } = item.plan.arguments as { items?: unknown };
  const count = Array.isArray(items) ? items.length : 0;
  return <Line item={item} text={`Updated the to-do list: ${plural(count, "item")}`} />;
}

function Line({ item, text }: { item: ToolItem; text: string }) {
  return (
    <p className={styles.line} data-status={item.status}>
      <Icon name={TOOL_DISPLAY.plan.icon} />
      {visibleLine(text)}
    </p>
  );
}

const NEEDS: Record<RequestState["kind"], ToolStatus> = {
  approval: "awaiting_approval",
  clarify: "awaiting_clarify",
  unknown_outcome: "outcome_unknown",
};
type Standing = { status: ToolStatus; label: string; tone: Tone };

/** A call with an open request needs somebody, unless nobody can answer it any more. */
function standingOf({ status, request }: ToolItem, over: Over): Standing {
  if (!request || request.answer || over === "call") return { status, ...TOOL_STATE[status] };
  if (over === "run") return { status: "cancelled", label: "Not answered", tone: "neutral" };
  const needs = NEEDS[request.kind];
  return { status: needs, ...TOOL_STATE[needs] };
}

type Body = ComponentType<{ item: ToolItem; runId: string }>;
const BODY: Partial<Record<ToolKind, Body>> = {
  exec: ExecBody,
  process: ExecBody,
  delegate: DelegateBody,
  browser: BrowserBody,
  plan: PlanLine,
  todo: TodoLine,
  rollback: RollbackBody,
  edit: EditBody,
  write: EditBody,
  append: EditBody,
};
const Nothing: Body = () => null; // what it read or answered is folded away

export function ToolCard({ item, runId }: { item: ToolItem; runId: string }) {
  const kind = toolKind(item.name);
  const Body = BODY[kind] ?? Nothing;
  const { names, content } = useFolds(`${runId} ${item.callId}`, foldsOf(item, kind, runId));
  if ((kind === "plan" || kind === "todo") && item.status === "completed") {
    return <Body item={item} runId={runId} />; // the plan panel shows the rest
  }
  return (
    <article
      className={styles.card}
      data-status={item.status}
      data-kind={kind}
      aria-label={`Tool ${item.name}`}
    >
      <Header item={item} runId={runId} kind={kind} folds={names} />
      {item.request && <RequestCard request={item.request} runId={runId} tool={item} />}
      <Body item={item} runId={runId} />
      <BackgroundProcess item={item} runId={runId} />
      <ChangedPaths item={item} />
      {item.error && item.status === "failed" && (
        <p className="p-foot bad break-anywhere">{visibleLine(item.error.message)}</p>
      )}
      {content}
    </article>
  );
}

/** Calls about one file, whose title links to it. */
const OPENS: ReadonlySet<ToolKind> = new Set(["read", "write", "edit", "append"]);

type HeaderProps = { item: ToolItem; runId: string; kind: ToolKind; folds: ReactNode };

function Header({ item, runId, kind, folds }: HeaderProps) {
  const { status, label, tone } = standingOf(item, useOver(runId, item));
  const title = visibleLine(TOOL_DISPLAY[kind].title(item));
  const path = textArgument(item, "path");
  const note = NOTE[kind]?.(item) ?? null;
  return (
    <header className={styles.header}>
      <Icon name={TOOL_DISPLAY[kind].icon} />
      <span className={styles.title} title={title}>
        {OPENS.has(kind) && path !== null ? <FileLink path={path}>{title}</FileLink> : title}
      </span>
      {folds}
      {note !== null && <span className="hint nowrap">{note}</span>}
      {item.attempt > 1 && <span className="hint nowrap">attempt {item.attempt}</span>}
      {item.exitCode !== null && item.exitCode !== 0 && (
        <span className="hint nowrap">exit {item.exitCode}</span>
      )}
      {item.durationMs !== null && <span className="hint nowrap">{duration(item.durationMs)}</span>}
      <Badge tone={tone} status={status} dot={status === "running"}>
        {label}
      </Badge>
    </header>
  );
}

/** The result of a rollback. A preview is one line, because it was shown where it was requested. */
function RollbackBody({ item }: { item: ToolItem }) {
  const result = isPreview(item) ? null : rollbackResult(item);
  if (!result) return null;
  return (
    <div className="p-foot">
      <RollbackText result={result} tense="did" />
    </div>
  );
}

/** A short fact about the result, or "". */
const NOTE: Partial<Record<ToolKind, (item: ToolItem) => string | null>> = {
  web_search: (item) => counted(item, "count", "result"),
  edit: writtenSize,
  write: writtenSize,
  append: writtenSize,
  rollback: (item) => {
    const found = rollbackResult(item);
    if (!found) return null;
    if (found.conflicts.length > 0) return plural(found.conflicts.length, "conflict");
    return plural(found.restored.length + found.removed.length, "file");
  },
};

function writtenSize(item: ToolItem): string | null {
  const lines = linesOfCall(item);
  return lines === null ? null : sizeOf(lines);
}

function counted(item: ToolItem, name: string, one: string): string | null {
  const count = numberResult(item, name);
  return count === null ? null : plural(count, one);
}

// The files a call changed, unless its title already names the only one.
const LISTED = 6;

function ChangedPaths({ item }: { item: ToolItem }) {
  const { changes } = item;
  const [only] = changes;
  const named = changes.length === 1 && only?.path === textArgument(item, "path");
  if (changes.length === 0 || named || item.name === "rollback") return null;
  return (
    <p className={styles.changed}>
      Changed{" "}
      {changes.slice(0, LISTED).map((change) => (
        <span key={change.path}>
          <FileLink path={change.path} />
          {whatOf(change)}
        </span>
      ))}
      {changes.length > LISTED && <span>and {changes.length - LISTED} more</span>}
    </p>
  );
}

function whatOf({ before, after }: FileChange): string {
  if (before === null) return " (new)";
  return after === null ? " (deleted)" : "";
}
