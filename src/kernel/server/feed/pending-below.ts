// Pending requests of a run and of its subagents. They count as the run's, because nobody else would answer them.
import type { JournalReads } from "../../journal/journal.ts";
import type { RequestRecord, RunRecord } from "../../api/records/records.ts";
import { controlsIn, isTerminal, type Control } from "../../state/run/status.ts";

type Pending = readonly RequestRecord[];

/** A subagent's id begins with that of the run it works for. */
export function isOf({ run_id }: Pick<RunRecord, "run_id">, other: string): boolean {
  return other === run_id || other.startsWith(`${run_id}.`);
}

/** The oldest first. */
export async function pendingOf(journal: JournalReads, run: RunRecord): Promise<RequestRecord[]> {
  const all = await journal.reads.pending({ sessionId: run.session_id });
  return all.filter(({ run_id }) => isOf(run, run_id));
}

export const isApproval = ({ kind }: RequestRecord) => kind === "approval";
export const isQuestion = (request: RequestRecord) => !isApproval(request);

/** What can be answered is what waits, whatever the run itself does meanwhile. */
export function activeControls({ status }: RunRecord, pending: Pending): Control[] {
  const others = controlsIn(status).filter((name) => name !== "approval" && name !== "clarify");
  if (isTerminal(status) || status === "cancelling") return others;
  return [
    ...others,
    ...(pending.some(isApproval) ? (["approval"] as const) : []),
    ...(pending.some(isQuestion) ? (["clarify"] as const) : []),
  ];
}

/** The run that asked: the one that is named, or a subagent of it. */
export async function askingRun(
  journal: JournalReads,
  runId: string,
  requestId: string,
): Promise<string> {
  const run = await journal.reads.run(runId);
  const pending = run ? await pendingOf(journal, run) : [];
  return pending.find(({ request_id }) => request_id === requestId)?.run_id ?? runId;
}
