// The last line of a run: what it is doing now, or how it ended and what it took.
import type { RunState } from "../../protocol/run-state.ts";
import { isTerminal, type RunStatus } from "../../protocol/run-status.ts";
import { last } from "../../protocol/vector.ts";
import { RUN_STATUS } from "../session/run-status-label.ts";
import { useFilesOf } from "../files/run-files.ts";
import { activeRunId, isDemoModel } from "../session/active-run.ts";
import { YoloBadge } from "../session/safety-badges.tsx";
import { useOpenSheet } from "../session/sheets.ts";
import { useRun, useSession } from "../session/use-session.ts";
import { LastExchangeActions } from "../steer/last-exchange-actions.tsx";
import { dollars, duration, elapsed, exactTime, percent, plural } from "../text/format.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { useNow } from "../ui/use-now.ts";
import styles from "./items.module.css";

const WAITING: Record<RunStatus, string | null> = {
  queued: "Queued",
  running: null, // what it does is in the newest item
  awaiting_approval: "Waiting for your approval",
  awaiting_clarify: "Waiting for your answer",
  paused: "Paused",
  cancelling: "Stopping…",
  cancelled: null,
  failed: null,
  completed: null,
  expired: null,
};

export function RunEnd({ runId }: { runId: string }) {
  const run = useRun(runId, (state) => state);
  if (!run) return null;
  return isTerminal(run.status) ? <Ended run={run} /> : <GoingOn run={run} />;
}

function Ended({ run }: { run: RunState }) {
  return (
    <div className={styles.ended}>
      <p className={styles.end} data-status={run.status} title={exactTime(run.updatedAt)}>
        <strong>{RUN_STATUS[run.status].label}</strong>
        {run.error && <span>{visibleLine(run.error.message)}</span>}
        <span>{duration((run.updatedAt - run.createdAt) * 1_000)}</span>
        <Spent run={run} />
        <ChangedFiles runId={run.runId} />
      </p>
      <LastExchangeActions runId={run.runId} />
    </div>
  );
}

function Spent({ run: { usage, context, model } }: { run: RunState }) {
  const tokens = usage.total_tokens;
  if (tokens === null) return null;
  const cost = usage.cost_usd === null ? "price unknown" : dollars(usage.cost_usd);
  return (
    <>
      <span>{plural(tokens, "token")}</span>
      {!isDemoModel(model) && <span>{cost}</span>}
      {context && context.window !== null && (
        <span>{percent(context.tokens / context.window)} of the window</span>
      )}
    </>
  );
}

function ChangedFiles({ runId }: { runId: string }) {
  const open = useOpenSheet();
  const files = useFilesOf(runId);
  if (files.length === 0) return null;
  return (
    <button
      type="button"
      className={styles.changed}
      onClick={() => open({ kind: "changes", runId })}
    >
      Changed {plural(files.length, "file")}
    </button>
  );
}

function GoingOn({ run }: { run: RunState }) {
  const now = useNow(1_000);
  const behind = useSession(activeRunId) !== run.runId;
  const yolo = useSession(({ session }) => session.yolo);
  return (
    <p className={styles.going} data-status={run.status}>
      <span className={styles.pulse} aria-hidden="true" />
      <span>{run.status === "queued" ? QUEUED[behind ? "behind" : "next"] : activityOf(run)}</span>
      <span>{elapsed(now - run.createdAt * 1_000)}</span>
      {yolo && <YoloBadge size="short" />}
    </p>
  );
}

const QUEUED = {
  behind: "Queued: starts when the run before it is over",
  next: "Queued: starts when a runner is free",
} as const;

function activityOf(run: RunState): string {
  const waiting = WAITING[run.status];
  if (run.status === "paused" && run.statusReason !== null) {
    return `Paused: ${run.statusReason.replaceAll("_", " ")}`;
  }
  if (waiting !== null) return waiting;
  if (run.compacting) return "Compressing the conversation";
  const newest = last(run.items);
  if (newest?.kind === "tool" && newest.status === "running") return `Running ${newest.name}`;
  if (newest?.kind === "text" && newest.status === "streaming") return "Writing";
  if (newest?.kind === "reasoning" && newest.status === "streaming") return "Thinking";
  return "Working";
}
