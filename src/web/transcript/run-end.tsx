// The last line of a run: what it is doing now, or how it ended and what it took.
import type { RunState } from "../../protocol/run-state.ts";
import { isTerminal, type RunStatus } from "../../protocol/run-status.ts";
import { last } from "../../protocol/vector.ts";
import { RUN_STATUS } from "../session/run-status-label.ts";
import { activeRunId } from "../session/active-run.ts";
import { useRun, useSession } from "../session/use-session.ts";
import { duration, elapsed, exactTime, plural } from "../text/format.ts";
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
  const tokens = run.usage.total_tokens;
  const cost = run.usage.cost_usd;
  return (
    <p className={styles.end} data-status={run.status} title={exactTime(run.updatedAt)}>
      <strong>{RUN_STATUS[run.status].label}</strong>
      {run.error && <span>{run.error.message}</span>}
      <span>{duration((run.updatedAt - run.createdAt) * 1_000)}</span>
      {tokens !== null && <span>{plural(tokens, "token")}</span>}
      {cost !== null && <span>${cost.toFixed(4)}</span>}
    </p>
  );
}

function GoingOn({ run }: { run: RunState }) {
  const now = useNow(1_000);
  const behind = useSession(activeRunId) !== run.runId;
  return (
    <p className={styles.going} data-status={run.status}>
      <span className={styles.pulse} aria-hidden="true" />
      <span>{run.status === "queued" ? QUEUED[behind ? "behind" : "next"] : activityOf(run)}</span>
      <span>{elapsed(now - run.createdAt * 1_000)}</span>
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
  const newest = last(run.items);
  if (newest?.kind === "tool" && newest.status === "running") return `Running ${newest.name}`;
  if (newest?.kind === "text" && newest.status === "streaming") return "Writing";
  if (newest?.kind === "reasoning" && newest.status === "streaming") return "Thinking";
  return "Working";
}
