// A whole session after some of its events: what a window shows, and what a server checks windows against.
import type { RunEvent } from "./events.ts";
import { applyEvent, emptyRun, type RunState } from "./run-state.ts";
import { applySessionEvent, emptySession, type SessionState } from "./session-state.ts";

export type Folded = {
  readonly session: SessionState;
  readonly runs: Readonly<Record<string, RunState>>;
};

export function emptyFolded(sessionId: string): Folded {
  return { session: emptySession(sessionId), runs: {} };
}

/** Repeated events change nothing; a gap throws and leaves the state as it was. */
export function foldEvents(state: Folded, events: readonly RunEvent[]): Folded {
  let { session } = state;
  let runs: Record<string, RunState> | undefined; // copied once per batch, not once per event
  for (const event of events) {
    if (event.session_seq <= session.seq) continue;
    session = applySessionEvent(session, event);
    if (event.run_id === event.session_id) continue; // the session's own log is no run
    runs ??= { ...state.runs };
    runs[event.run_id] = applyEvent(runs[event.run_id] ?? emptyRun(event.run_id), event);
  }
  return session === state.session ? state : { session, runs: runs ?? state.runs };
}
