// Ends a run: completed, failed or cancelled. There is one terminal event, appended after everything admitted has
// been folded; nothing of the run continues after it.
import { toSnapshot } from "../../state/run/state.ts";
import type { Draft } from "../../events/events.ts";
import type { Failure } from "./recovery.ts";
import type { RunDeps } from "./run-loop.ts";
import type { RunLog } from "./run-log.ts";
import { cancelledCalls, openChildren } from "./tool-result.ts";
import { checkBackground } from "../tools/guarded-call.ts";
import { grantsOfProcess, onePerHost } from "../tools/process-ids.ts";
import { cutShort } from "./turn.ts";

type Ending = { status: "completed" | "cancelled" } | Failure;
type EndDeps = Pick<RunDeps, "host" | "claimedUntil">;

/** False when something was admitted meanwhile: look again. */
export async function complete(log: RunLog, deps: EndDeps): Promise<boolean> {
  await endProcesses(log, deps);
  if (!(await log.appendIfCurrent(endDrafts(log, { status: "completed" })))) return false;
  await log.journal.saveSnapshot(toSnapshot(log.state));
  return true;
}

export async function cancel(log: RunLog, deps: EndDeps): Promise<void> {
  await log.flush();
  await log.refresh();
  await keepSaid(log);
  await end(log, { status: "cancelled" }, deps);
}

/** Ends a run that may not go on after its runner was lost. */
export async function giveUp(log: RunLog, failure: Failure, deps: EndDeps): Promise<void> {
  await keepSaid(log);
  await end(log, failure, deps);
}

/** What an answer had said before it was cut is the run's result. */
async function keepSaid(log: RunLog): Promise<void> {
  const cut = cutShort(log);
  if (cut.length > 0) await log.append(cut);
}

/** No call and no subagent goes on behind a run that has ended, however it ended. */
async function stopCalls(log: RunLog, deps: EndDeps): Promise<void> {
  for (const childRunId of openChildren(log)) {
    await log.journal.commands.cancelRun(childRunId, { reason: "its parent was stopped" });
  }
  const drafts = await cancelledCalls(log, deps);
  if (drafts.length > 0) await log.append(drafts);
}

/** Admitted commands are folded first, so an accepted cancel always wins. */
export async function end(log: RunLog, ending: Ending, deps: EndDeps): Promise<void> {
  await stopCalls(log, deps);
  await endProcesses(log, deps);
  if ("code" in ending) {
    const { code, message } = ending;
    const failed = { code, message, retryable: false, terminal: true };
    await log.append([{ type: "error", payload: { ...failed, details: diagnosticsOf(log) } }]);
  }
  for (;;) {
    const cancelling = log.state.status === "cancelling";
    const final: Ending = cancelling ? { status: "cancelled" } : ending;
    if (await log.appendIfCurrent(endDrafts(log, final))) break;
  }
  await log.journal.saveSnapshot(toSnapshot(log.state));
}

/** Where the run stood when it failed. */
function diagnosticsOf({ state: { model, turn, recoveries } }: RunLog) {
  const { index = 0, attempt = 0, failures = 0 } = turn ?? {};
  return { model, turn: index, attempt, model_failures: failures, recoveries };
}

function endDrafts(log: RunLog, ending: Ending): Draft[] {
  const { state } = log;
  const [provider = "", ...model] = state.model.split("/");
  const duration_ms = Math.max(0, Math.round((state.updatedAt - state.createdAt) * 1000));
  const { usage, result } = state;
  const error = "code" in ending ? { code: ending.code, message: ending.message } : null;
  const last_seq = state.seq + 2;
  return [
    { type: "usage.final", payload: { provider, model: model.join("/"), ...usage, duration_ms } },
    { type: "done", payload: { status: ending.status, result, error, usage, last_seq } },
  ];
}

/** Commands in the background belong to their run and do not outlive it. */
export async function endProcesses(log: RunLog, { host, claimedUntil }: EndDeps): Promise<void> {
  const running = () => log.state.processes.filter(({ status }) => status === "running");
  const signal = AbortSignal.timeout(PROCESSES_MS);
  for (const { processId } of onePerHost(running())) {
    await host(log.workspace, grantsOfProcess(processId)).call({
      tool: "process",
      input: { action: "kill_all" },
      marker: log.claim.runId,
      notAfter: await claimedUntil(),
      signal,
    });
  }
  await checkBackground({ log, claimedUntil, host: (grants) => host(log.workspace, grants) });
  const exits = running().map(({ processId }) => ({
    process_id: processId,
    exit_code: null,
    signal: "SIGKILL",
  }));
  await log.appendExits(exits);
}

const PROCESSES_MS = 5_000;
