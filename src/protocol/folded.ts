// A whole session after some of its events: what a window shows, and what a server checks windows against.
import type { RunEvent } from "./events.ts";
import { own } from "./own.ts";
import { advanceRun, emptyRun, type RunDraft, type RunState } from "./run-state.ts";
import { advanceSession, emptySession, type SessionState } from "./session-state.ts";

export type Folded = {
  readonly session: SessionState;
  readonly runs: Readonly<Record<string, RunState>>;
};

export function emptyFolded(sessionId: string): Folded {
  return { session: emptySession(sessionId), runs: {} };
}

/** Repeated events change nothing; a gap throws and leaves the state as it was. */
export function foldEvents(state: Folded, events: readonly RunEvent[]): Folded {
  const session = { ...state.session };
  const drafts = new Map<string, RunDraft>(); // each run is copied once per batch, not once per event
  for (const event of events) {
    if (event.session_seq <= session.seq) continue;
    advanceSession(session, event);
    if (event.run_id === event.session_id) continue; // the session's own log is no run
    advanceRun(draftOf(drafts, state, event.run_id), event);
  }
  if (session.seq === state.session.seq) return state;
  const runs = drafts.size > 0 ? { ...state.runs, ...Object.fromEntries(drafts) } : state.runs;
  return { session, runs };
}

function draftOf(drafts: Map<string, RunDraft>, { runs }: Folded, runId: string): RunDraft {
  const known = drafts.get(runId);
  if (known) return known;
  const draft = { ...(own(runs, runId) ?? emptyRun(runId)) };
  drafts.set(runId, draft);
  return draft;
}
