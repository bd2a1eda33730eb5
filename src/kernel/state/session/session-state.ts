// Folds a session's events (its own log and all its runs, ordered by session_seq) into what a
// session list and an inbox show. Same rules as run-state: pure, idempotent, flat cost.
import type { Rule } from "../../events/catalogue/permissions.ts";
import { matchEvent } from "../../events/event-table.ts";
import type { RunEvent } from "../../events/events.ts";
import type { RunStatus } from "../run/status.ts";
import { sessionCases } from "./cases.ts";
import { REDUCER_VERSION } from "../../events/version.ts";
import { emptyVector, toArray, vectorOf, type Vector } from "../vector.ts";

export type RunSummary = {
  readonly runId: string;
  readonly status: RunStatus;
  readonly prompt: string;
  readonly model: string;
  readonly parentRunId: string | null;
  readonly rewound: boolean; // undone or replaced: no longer part of the conversation
  readonly seq: number;
  readonly createdAt: number;
};
export type PendingRequest = {
  readonly requestId: string;
  readonly runId: string;
  readonly kind: "approval" | "clarify" | "unknown_outcome";
  readonly prompt: string;
  readonly choices: readonly string[];
  readonly at: number;
};
export type SessionState = {
  readonly sessionId: string;
  readonly seq: number; // session_seq
  readonly title: string;
  readonly model: string;
  readonly workspace: string;
  readonly profile: string;
  readonly source: string;
  readonly parentSessionId: string | null;
  readonly projectId: string | null;
  readonly yolo: boolean;
  readonly deleted: boolean; // out of every list
  readonly pinned: boolean; // above the others in every list
  readonly permissions: readonly Rule[];
  readonly goal: { readonly text: string; readonly status: "active" | "paused" } | null;
  readonly runs: Vector<RunSummary>;
  /** Position of every run that has not ended, by its id. */
  readonly open: Readonly<Record<string, number>>;
  readonly pending: Readonly<Record<string, PendingRequest>>;
  readonly queue: readonly {
    readonly runId: string;
    readonly messageId: string;
    readonly text: string;
  }[];
  readonly messages: number;
  readonly tokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};
export type SessionDraft = { -readonly [Key in keyof SessionState]: SessionState[Key] };

export function emptySession(sessionId: string): SessionState {
  return {
    sessionId,
    seq: 0,
    title: "",
    model: "",
    workspace: "",
    profile: "",
    source: "",
    parentSessionId: null,
    projectId: null,
    yolo: false,
    deleted: false,
    pinned: false,
    permissions: [],
    goal: null,
    runs: emptyVector(),
    open: {},
    pending: {},
    queue: [],
    messages: 0,
    tokens: 0,
    createdAt: 0,
    updatedAt: 0,
  };
}

export function applySessionEvent(state: SessionState, event: RunEvent): SessionState {
  if (event.session_seq <= state.seq) return state;
  const draft = { ...state };
  advanceSession(draft, event);
  return draft;
}

/** On a copy of one's own. */
export function advanceSession(draft: SessionDraft, event: RunEvent): void {
  if (event.session_seq <= draft.seq) return;
  if (event.session_seq > draft.seq + 1) {
    throw new Error(`gap in session ${event.session_id} after ${draft.seq}`);
  }
  if (event.session_seq === 1) draft.createdAt = event.created_at;
  draft.seq = event.session_seq;
  draft.updatedAt = event.created_at;
  matchEvent(sessionCases, event, draft);
}

export type SessionSnapshot = Omit<SessionState, "runs"> & {
  readonly reducer: number;
  readonly runs: readonly RunSummary[];
};

export function toSessionSnapshot(state: SessionState): SessionSnapshot {
  return { ...state, runs: toArray(state.runs), reducer: REDUCER_VERSION };
}

export function fromSessionSnapshot(snapshot: SessionSnapshot): SessionState | undefined {
  const { reducer, ...state } = snapshot;
  if (reducer !== REDUCER_VERSION) return undefined;
  return { ...state, runs: vectorOf(snapshot.runs) };
}
