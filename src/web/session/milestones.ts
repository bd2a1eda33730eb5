// Announcements for screen readers: a run started, needs someone, ended or failed. Never tokens or history.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { RunStatus } from "../../kernel/state/run/status.ts";
import { currentRunId, currentStatus } from "./active-run.ts";

const SPOKEN: Record<RunStatus, string | null> = {
  queued: null,
  running: "The run has started.",
  awaiting_approval: "Approval needed.",
  awaiting_clarify: "An answer is needed.",
  paused: "The run is paused.",
  cancelling: null,
  cancelled: "The run was stopped.",
  failed: "The run failed.",
  completed: "The run is done.",
  expired: "The run expired.",
};

export type Heard = { readonly runId: string | null; readonly status: RunStatus | null };

export function heardOf(view: SessionView): Heard {
  return { runId: currentRunId(view), status: currentStatus(view) };
}

/** Null: nothing to announce. Resuming after an answer is not a start. */
export function milestone(before: Heard, view: SessionView): string | null {
  const after = heardOf(view);
  if (!view.caughtUp || after.status === null || after.status === before.status) return null;
  const resumed = after.status === "running" && after.runId === before.runId && !isNew(before);
  if (resumed) return null;
  const failure = after.runId === null ? null : view.runs[after.runId]?.error;
  const spoken = SPOKEN[after.status];
  return spoken !== null && after.status === "failed" && failure
    ? `${spoken} ${failure.message}`
    : spoken;
}

function isNew({ status }: Heard): boolean {
  return status === null || status === "queued";
}
