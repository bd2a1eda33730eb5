// A whole session after some of its events: what a window shows, and what a server checks windows against.
import type { RunEvent } from "../events/events.ts";
import { own } from "../events/own.ts";
import {
  advanceRun,
  emptyRun,
  fromSnapshot,
  toSnapshot,
  type RunDraft,
  type RunSnapshot,
  type RunState,
} from "./run/state.ts";
import {
  advanceSession,
  emptySession,
  fromSessionSnapshot,
  toSessionSnapshot,
  type SessionSnapshot,
  type SessionState,
} from "./session/session-state.ts";

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

/** A fold as it is kept and sent. */
export type FoldedSnapshot = {
  readonly session: SessionSnapshot;
  readonly runs: Readonly<Record<string, RunSnapshot>>;
};

export function toFoldedSnapshot({ session, runs }: Folded): FoldedSnapshot {
  const saved = Object.entries(runs).map(([runId, run]) => [runId, toSnapshot(run)] as const);
  return { session: toSessionSnapshot(session), runs: Object.fromEntries(saved) };
}

/** Undefined when another version of the reducers made it. */
export function fromFoldedSnapshot(snapshot: FoldedSnapshot): Folded | undefined {
  const session = fromSessionSnapshot(snapshot.session);
  const runs: Record<string, RunState> = {};
  for (const [runId, saved] of Object.entries(snapshot.runs)) {
    const run = fromSnapshot(saved);
    if (!run) return undefined;
    runs[runId] = run;
  }
  return session && { session, runs };
}
