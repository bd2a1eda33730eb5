// The past a run builds on: the session's runs before it, and, for a branch, the parent session's up
// to the point where it left. What was undone is not part of it; what was compressed stands as its
// summary. Everything is read from the journal, so every runner sees the same past.
import type { Journal } from "../journal/journal.ts";
import { loadRun, loadRunUpTo } from "../journal/load-run.ts";
import type { RunState } from "../protocol/run-state.ts";
import { isTerminal } from "../protocol/run-status.ts";

const MAX_BRANCHES = 32; // of branches of branches

export type Past = {
  /** Of everything before `runs`; null when nothing was compressed. */
  readonly summary: string | null;
  readonly runs: readonly RunState[]; // oldest first
};

/** Newest first until a compaction: what lies before it is in its summary. */
export async function pastOf(journal: Journal, state: RunState): Promise<Past> {
  if (state.compaction) return { summary: state.compaction.summary, runs: [] };
  if (state.parentRunId !== null) return { summary: null, runs: [] };
  const runs: RunState[] = [];
  for await (const run of earlierRuns(journal, state)) {
    runs.unshift(run);
    if (run.compaction) return { summary: run.compaction.summary, runs };
  }
  return { summary: null, runs };
}

async function* earlierRuns(journal: Journal, state: RunState): AsyncGenerator<RunState> {
  yield* endedBefore(journal, { sessionId: state.sessionId, runId: state.runId, at: null });
  let { sessionId } = state;
  for (let depth = 0; depth < MAX_BRANCHES; depth += 1) {
    const point = await journal.branchedFrom(sessionId);
    if (!point) return;
    const cut = await loadRunUpTo(journal, point.runId, point.seq);
    if (cut) yield cut.state;
    const at = cut?.sessionSeq ?? null;
    yield* endedBefore(journal, { sessionId: point.sessionId, runId: point.runId, at });
    sessionId = point.sessionId;
  }
}

/** Root runs of the session before this one, newest first. `at`: as the session was then. */
async function* endedBefore(
  journal: Journal,
  { sessionId, runId, at }: { sessionId: string; runId: string; at: number | null },
): AsyncGenerator<RunState> {
  const records = (await journal.runsOf(sessionId)).filter((run) => run.parent_run_id === null);
  const here = records.findIndex((run) => run.run_id === runId);
  for (const record of records.slice(0, here).toReversed()) {
    if (!isTerminal(record.status)) continue;
    const undone = record.rewound_at !== null && (at === null || record.rewound_at <= at);
    if (undone) continue;
    const run = await loadRun(journal, record.run_id);
    if (run) yield run;
  }
}
