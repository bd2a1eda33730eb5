// The history that a run builds on: earlier runs of its session and, for a branch, the parent's runs up to the branch
// point. Undone runs are left out, compressed ones are replaced by their summary, and a history that was given at the
// start replaces everything. All of it is read from the journal, so every runner sees the same.
import type { Journal } from "../../journal/journal.ts";
import { loadRun, loadRunAt, loadRunUpTo } from "../../journal/read/load-run.ts";
import type { HistoryMessage } from "../../events/catalogue/lifecycle.ts";
import type { RunState } from "../../state/run/state.ts";
import { isNotice } from "../../state/run/notice.ts";
import { isTerminal } from "../../state/run/status.ts";
import { get } from "../../state/vector.ts";

const MAX_BRANCHES = 32; // of branches of branches
const BEGUN = 2; // a run's first two events are one beginning: its message, and what it was told with it

export type History = {
  /** Of everything before `runs`; null when nothing was compressed. */
  readonly summary: string | null;
  /** What was said elsewhere before `runs`. */
  readonly history: readonly HistoryMessage[];
  readonly runs: readonly RunState[]; // oldest first
};

/** Newest first until something stands for all that lies before. */
export async function historyOf(journal: Journal, state: RunState): Promise<History> {
  const runs: RunState[] = [];
  const known = standIn(state);
  if (known) return { ...known, runs };
  if (state.parentRunId !== null) return { ...NOTHING, runs };
  for await (const run of earlierRuns(journal, state)) {
    runs.unshift(run);
    const before = standIn(run);
    if (before) return { ...before, runs };
  }
  return { ...NOTHING, runs };
}

const NOTHING = { summary: null, history: [] };

/** A run's summary is of its history too. What came with a message goes when it is taken back. */
function standIn({ compaction, history, items }: RunState): Omit<History, "runs"> | undefined {
  if (compaction) return { summary: compaction.summary, history: [] };
  const opening = get(items, 0);
  const isBack = opening?.kind === "user" && opening.retracted;
  return history && !isBack ? { summary: null, history } : undefined;
}

async function* earlierRuns(journal: Journal, state: RunState): AsyncGenerator<RunState> {
  yield* endedBefore(journal, { sessionId: state.sessionId, runId: state.runId, at: null });
  let { sessionId } = state;
  for (let depth = 0; depth < MAX_BRANCHES; depth += 1) {
    const point = await journal.reads.branchedFrom(sessionId);
    if (!point) return;
    const cut = await loadRunUpTo(journal, point.runId, Math.max(point.seq, BEGUN));
    const left = await journal.reads.run(point.runId);
    if (cut && !(left && isNotice(left))) yield cut.state;
    const at = cut?.sessionSeq ?? null;
    yield* endedBefore(journal, { sessionId: point.sessionId, runId: point.runId, at });
    sessionId = point.sessionId;
  }
}

/** Root runs of the session before this one, newest first. `at`: as they were then, also those that went on. */
async function* endedBefore(
  journal: Journal,
  { sessionId, runId, at }: { sessionId: string; runId: string; at: number | null },
): AsyncGenerator<RunState> {
  const records = (await journal.reads.runsOf(sessionId)).filter(
    (run) => run.parent_run_id === null,
  );
  const here = records.findIndex((run) => run.run_id === runId);
  for (const record of records.slice(0, here).toReversed()) {
    const undone = record.rewound_at !== null && (at === null || record.rewound_at <= at);
    if (undone || (at === null && !isTerminal(record.status))) continue;
    const then = at === null ? loadRun(journal, record.run_id) : loadRunAt(journal, record, at);
    const run = await then;
    if (run) yield run;
  }
}
