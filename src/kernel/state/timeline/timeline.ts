// Folds a session's events into what took how long: spans in lanes, run by run. Pure, and an event costs
// the same in a run of ten spans and of ten thousand; what an event does not touch keeps its identity.
import { matchEvent } from "../../events/event-table.ts";
import type { RunEvent } from "../../events/events.ts";
import { NO_IDS, type IdMap } from "../id-map.ts";
import { timelineCases } from "./cases.ts";
import { ensureLine } from "./draft.ts";
import { emptyVector, get, set, type Vector } from "../vector.ts";

/** Who was at work. `plan` is what the work was for: a header, and no work of its own. */
export const LANES = ["plan", "queue", "model", "tools", "person"] as const;
export type Lane = (typeof LANES)[number];

export type SpanKind =
  | "queued"
  | "recovery"
  | "paused"
  | "turn"
  | "compaction"
  | "call"
  | "process"
  | "request"
  | "step";
export type SpanStatus =
  | "running"
  | "done"
  | "failed"
  | "denied"
  | "cancelled"
  | "superseded" // it was cut and asked for again: it counts for nothing
  | "unknown"; // nobody knows whether it happened

export type Span = {
  readonly id: string; // of the event it began with
  readonly kind: SpanKind;
  readonly lane: Lane;
  readonly runId: string;
  readonly depth: number;
  readonly label: string;
  readonly detail: string;
  readonly startedAt: number; // unix seconds
  readonly endedAt: number | null;
  readonly status: SpanStatus;
  readonly seq: number; // of the item it is in other views
  readonly from: number; // seq of the event it began with
  readonly to: number | null; // and of the one it ended with
  readonly parent: string | null; // the span of the same run that it happened in
  readonly childRunId: string | null; // the subagent it waited for
};

/** A call from intent to end. */
type OpenCall = {
  readonly seq: number;
  readonly label: string;
  readonly name: string;
  readonly place: number | null; // of its newest span; null: not begun
};

export type RunLine = {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly depth: number;
  readonly title: string;
  readonly askedBy: string | null; // the span of the parent run that waits for it
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly status: SpanStatus;
  readonly spans: Vector<Span>;
  readonly messageSeq: number | null; // of the newest message: what a queued run is in other views
  readonly lostAt: number | null; // since when its last lost runner was not heard of
  readonly turn: { readonly turnId: string; readonly place: number } | null; // the newest
  readonly calls: Readonly<Record<string, OpenCall>>;
  /** Places of the other spans that have not ended, by what ends them. */
  readonly open: Readonly<Record<string, number>>;
};

export type TimelineState = {
  readonly sessionId: string;
  readonly seq: number; // session_seq
  readonly at: number; // of the newest event
  readonly lines: Vector<RunLine>; // keeps its identity while nothing begins or ends
  readonly heard: Vector<number>; // when each of them was last heard of
  readonly places: IdMap; // of lines, by run
};

export type LineDraft = { -readonly [Key in keyof RunLine]: RunLine[Key] };
/** What a handler changes: its run's line, and through `state` that of a subagent. */
export type TimelineDraft = {
  readonly line: LineDraft;
  readonly state: { -readonly [Key in keyof TimelineState]: TimelineState[Key] };
  readonly heardAt: number; // the event before this one
};

export function emptyTimeline(sessionId: string): TimelineState {
  return {
    sessionId,
    seq: 0,
    at: 0,
    lines: emptyVector(),
    heard: emptyVector(),
    places: NO_IDS,
  };
}

export function applyToTimeline(state: TimelineState, event: RunEvent): TimelineState {
  if (event.session_seq <= state.seq) return state; // delivery is at least once
  if (event.session_seq > state.seq + 1) {
    throw new Error(`gap in session ${state.sessionId} after ${state.seq}`);
  }
  const at = Math.max(state.at, event.created_at);
  const next = { ...state, seq: event.session_seq, at };
  if (event.run_id === event.session_id) return next; // the session's own log is no run
  const place = ensureLine(next, event.run_id, event.created_at);
  const before = get(next.lines, place);
  if (!before) return next;
  const heardAt = get(next.heard, place) ?? event.created_at;
  const line: LineDraft = { ...before };
  matchEvent(timelineCases, event, { line, state: next, heardAt });
  if (!isSame(before, line)) next.lines = set<RunLine>(next.lines, place, line);
  next.heard = set(next.heard, place, event.created_at);
  return next;
}

function isSame(a: RunLine, b: RunLine): boolean {
  for (const key in a) {
    if (a[key as keyof RunLine] !== b[key as keyof RunLine]) return false;
  }
  return true;
}
