// The exchanges of a session as of one event: undone ones are left out, and a branch starts with its parent's. Read
// from the journal for every request.
import type { JournalReads } from "../../../journal/journal.ts";
import { loadRunAt, loadRunUpTo } from "../../../journal/read/load-run.ts";
import { directCall } from "../../../events/direct.ts";
import { ApiError } from "../../../events/errors.ts";
import type { RunState } from "../../../state/run/state.ts";

const MAX_BRANCHES = 32;

/** Newest first. `until`: the session's newest event that counts. */
export async function* sessionRuns(
  journal: JournalReads,
  sessionId: string,
  until: number,
): AsyncGenerator<RunState> {
  let [id, at] = [sessionId, until];
  let cut: RunState | undefined; // the run a branch leaves in the middle
  for (let depth = 0; depth < MAX_BRANCHES; depth += 1) {
    if (cut) yield cut;
    const left = cut?.runId;
    const runs = (await journal.reads.runsOf(id)).filter((run) => run.parent_run_id === null);
    for (const record of runs.toReversed()) {
      const undone = record.rewound_at !== null && record.rewound_at <= at;
      if (undone || record.run_id === left) continue;
      const state = await readable(() => loadRunAt(journal, record, at));
      if (state && isExchange(state)) yield state;
    }
    const point = await journal.reads.branchedFrom(id);
    if (!point) return;
    const branched = await readable(() => loadRunUpTo(journal, point.runId, point.seq));
    [id, at, cut] = [point.sessionId, branched?.sessionSeq ?? 0, branched?.state];
  }
}

/** Begun, and something that was said: a person's command that needed a run is neither. */
function isExchange(state: RunState): boolean {
  return state.sandbox !== null && directCall(state) === undefined;
}

/** A damaged log is left out: one bad exchange must not hide the others. */
async function readable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.code === "run_quarantined") return undefined;
    throw error;
  }
}
