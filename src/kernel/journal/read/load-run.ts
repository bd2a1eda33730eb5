// Loads a run's current state: its newest snapshot, and the fold of the events after it.
import { setImmediate } from "node:timers/promises";
import type { RunRecord } from "../../api/records/records.ts";
import type { RunEvent } from "../../events/events.ts";
import { applyEvent, emptyRun, fromSnapshot, type RunState } from "../../state/run/state.ts";
import type { JournalReads } from "../journal.ts";

const PAGE = 200;
/** SQLite reads block the process, so a long run is loaded in pages with pauses. */
const PAGES_AT_ONCE = 5;

export async function loadRun(journal: JournalReads, runId: string): Promise<RunState | undefined> {
  if (!(await journal.reads.run(runId))) return undefined;
  const snapshot = await journal.reads.snapshot(runId);
  return catchUp(journal, (snapshot && fromSnapshot(snapshot)) ?? emptyRun(runId));
}

/** The run as of its event `seq`, and that event's place in the session. */
export async function loadRunUpTo(
  journal: JournalReads,
  runId: string,
  seq: number,
): Promise<{ state: RunState; sessionSeq: number } | undefined> {
  let state = emptyRun(runId);
  let at = 0;
  while (state.seq < seq) {
    const page = await journal.readRun(runId, state.seq, Math.min(PAGE, seq - state.seq));
    if (!page || page.rows.length === 0) break;
    for (const [, sessionSeq, body] of page.rows) {
      state = applyEvent(state, JSON.parse(body) as RunEvent);
      at = sessionSeq;
    }
  }
  return state.seq === 0 ? undefined : { state, sessionSeq: at };
}

/** The run as of an event of its session; undefined if it had not begun. */
export async function loadRunAt(
  journal: JournalReads,
  { run_id, seq }: Pick<RunRecord, "run_id" | "seq">,
  sessionSeq: number,
): Promise<RunState | undefined> {
  const newest = (await journal.readRun(run_id, Math.max(0, seq - 1), 1))?.rows[0];
  if (newest && newest[1] <= sessionSeq) return loadRun(journal, run_id);
  let state = emptyRun(run_id);
  for (;;) {
    const rows = (await journal.readRun(run_id, state.seq, PAGE))?.rows ?? [];
    for (const [, at, body] of rows) {
      if (at > sessionSeq) return state.seq === 0 ? undefined : state;
      state = applyEvent(state, JSON.parse(body) as RunEvent);
    }
    if (rows.length < PAGE) return state;
  }
}

/** Folds all events after `state`. */
export async function catchUp(journal: JournalReads, state: RunState): Promise<RunState> {
  for (let pages = 1; ; pages += 1) {
    const page = await journal.readRun(state.runId, state.seq, PAGE);
    if (!page) return state;
    for (const [, , body] of page.rows) state = applyEvent(state, JSON.parse(body) as RunEvent);
    if (page.rows.length < PAGE) return state;
    if (pages % PAGES_AT_ONCE === 0) await setImmediate();
  }
}
