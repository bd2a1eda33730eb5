// Which run of a session is the current one; never a subagent.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { RunStatus } from "../../kernel/state/run/status.ts";
import type { PendingRequest } from "../../kernel/state/session/session-state.ts";
import { get } from "../../kernel/state/vector.ts";

/** The active root run, or else the first queued one. */
export function activeRunId({ session, runs }: SessionView): string | null {
  let queued: string | null = null;
  for (const runId of Object.keys(session.open)) {
    const run = runs[runId];
    if (!run || run.depth > 0) continue;
    if (run.status !== "queued") return runId;
    queued ??= runId;
  }
  return queued;
}

/** The active run, or else the newest. */
export function currentRunId(view: SessionView): string | null {
  const active = activeRunId(view);
  if (active !== null) return active;
  const { runs: order } = view.session;
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const summary = get(order, index);
    if (summary && view.runs[summary.runId]?.depth === 0) return summary.runId;
  }
  return null;
}

const NEEDS: Record<PendingRequest["kind"], RunStatus> = {
  approval: "awaiting_approval",
  clarify: "awaiting_clarify",
  unknown_outcome: "awaiting_clarify",
};

/** The status of the current run, including requests of its subagents. */
export function currentStatus(view: SessionView): RunStatus | null {
  const runId = currentRunId(view);
  const status = runId === null ? undefined : view.runs[runId]?.status;
  if (status !== "running") return status ?? null;
  const [asked] = Object.values(view.session.pending);
  return asked ? NEEDS[asked.kind] : status;
}

/** Only runs of the scripted model can be killed in the demo. */
export function isDemoModel(model: string): boolean {
  return model === "demo" || model.startsWith("demo/");
}
