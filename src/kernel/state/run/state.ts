// Folds a run's events into what a person sees and what a runner resumes from. Pure: same events
// in, same state out, on the server (snapshots) and in every client (live tail).
import type { TodoItem } from "../../events/catalogue/plans.ts";
import type {
  Budget,
  HistoryMessage,
  ProjectContext,
  Usage,
} from "../../events/catalogue/lifecycle.ts";
import { matchEvent } from "../../events/event-table.ts";
import type { RunEvent } from "../../events/events.ts";
import { runCases } from "./cases.ts";
import type { Item, OpenTool, RequestState } from "./items.ts";
import type { RunStatus } from "./status.ts";
import { REDUCER_VERSION } from "../../events/version.ts";
import { emptyVector, get, toArray, vectorOf, type Vector } from "../vector.ts";

export type PlanState = {
  readonly planId: string;
  readonly goal: string;
  readonly status: "active" | "completed" | "failed" | "escalated";
  readonly steps: readonly {
    readonly stepId: string;
    readonly name: string;
    readonly status: "pending" | "running" | "completed" | "failed";
    readonly startedAt: number | null;
    readonly fallbacks: number; // how often another approach was tried
  }[];
  readonly replans: number;
  readonly createdAt: number;
};
export type SubagentState = {
  readonly subagentId: string;
  readonly childRunId: string;
  readonly title: string;
  readonly status: "running" | "completed" | "failed" | "cancelled" | "expired";
  readonly summary: string;
};
export type TurnState = {
  readonly turnId: string;
  readonly index: number;
  readonly attempt: number;
  readonly failures: number; // how often the model failed it: crashes of ours do not count
  readonly firstItem: number; // items from here on belong to it (or are steers that came during it)
  readonly phase: "model" | "tools" | "over" | "superseded";
};

/** A command that goes on behind its call. */
export type ProcessState = {
  readonly processId: string;
  readonly callId: string;
  readonly command: string;
  readonly status: "running" | "exited";
  readonly exitCode: number | null;
  readonly live: string; // the newest part of what it printed; bounded
  readonly bytes: number; // how much it printed in all
};
/**
 * Models read the summary instead of the first `items`, except turns from `keptFromTurn` on. What was
 * said while the summary was being made comes after those: it may not be in it.
 */
export type CompactionState = {
  readonly summary: string;
  readonly keptFromTurn: number | null;
  readonly items: number;
};

export type RunState = {
  readonly runId: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly model: string;
  readonly workspace: string;
  readonly profile: string;
  readonly instructions: string | null;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly toolsets: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly project: ProjectContext | null;
  readonly budget: Budget | null;
  readonly history: readonly HistoryMessage[] | null; // models read it instead of all that was before the run
  readonly budgetRaises: number; // how often a person let it go on
  readonly budgetStopped: boolean; // a person chose to stop it there
  readonly activeSeconds: number; // how long it was running, waiting for people not counted
  readonly goalRounds: number;
  readonly depth: number;
  readonly runnerId: string | null;
  readonly sandbox: "none" | "bubblewrap" | null; // what its tools run in; null: not begun
  readonly items: Vector<Item>;
  /** Position of every item that may still change, by call, message or reasoning id. */
  readonly open: Readonly<Record<string, number>>;
  readonly pending: Readonly<Record<string, RequestState>>;
  readonly turn: TurnState | null;
  readonly turns: number;
  readonly plan: PlanState | null;
  readonly todos: readonly TodoItem[];
  readonly subagents: readonly SubagentState[];
  readonly processes: readonly ProcessState[];
  readonly compaction: CompactionState | null;
  readonly compacting: boolean; // a compaction began and has not been completed
  readonly compactingItems: number; // how many items there were when the newest one began
  readonly usage: Usage;
  readonly context: { readonly tokens: number; readonly window: number | null } | null; // of the last turn
  readonly statusReason: string | null;
  readonly result: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly recoveries: number; // since the last progress: the attempt budget counts these
  readonly createdAt: number;
  readonly startedAt: number | null; // null: it has not begun
  readonly updatedAt: number;
};

export const NO_USAGE: Usage = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  reasoning_tokens: null,
  cached_tokens: null,
  cost_usd: null,
};

export function emptyRun(runId: string): RunState {
  return {
    runId,
    sessionId: "",
    seq: 0,
    status: "queued",
    model: "",
    workspace: "",
    profile: "",
    instructions: null,
    parentRunId: null,
    rootRunId: runId,
    toolsets: [],
    metadata: {},
    project: null,
    budget: null,
    history: null,
    budgetRaises: 0,
    budgetStopped: false,
    activeSeconds: 0,
    goalRounds: 0,
    depth: 0,
    runnerId: null,
    sandbox: null,
    items: emptyVector(),
    open: {},
    pending: {},
    turn: null,
    turns: 0,
    plan: null,
    todos: [],
    subagents: [],
    processes: [],
    compaction: null,
    compacting: false,
    compactingItems: 0,
    usage: NO_USAGE,
    context: null,
    statusReason: null,
    result: null,
    error: null,
    recoveries: 0,
    createdAt: 0,
    startedAt: null,
    updatedAt: 0,
  };
}

/** A handler's own copy of the state: it may assign fields, never change what they hold. */
export type RunDraft = { -readonly [Key in keyof RunState]: RunState[Key] };

export function applyEvent(state: RunState, event: RunEvent): RunState {
  if (event.seq <= state.seq) return state; // delivery is at least once
  const draft = { ...state };
  advanceRun(draft, event);
  return draft;
}

/** On a copy of one's own: whoever folds a thousand events copies the state once. */
export function advanceRun(draft: RunDraft, event: RunEvent): void {
  if (event.seq <= draft.seq) return;
  if (event.seq > draft.seq + 1) throw new Error(`gap in ${event.run_id} after seq ${draft.seq}`);
  if (draft.status === "running") draft.activeSeconds += event.created_at - draft.updatedAt;
  if (event.seq === 1) {
    draft.createdAt = event.created_at;
    draft.sessionId = event.session_id;
  }
  draft.seq = event.seq;
  draft.updatedAt = event.created_at;
  matchEvent(runCases, event, draft); // unknown types advance the cursor and nothing else
}

/** Undefined when it was never planned, or has ended. */
export function findTool(state: RunState, callId: string): OpenTool | undefined {
  const position = state.open[callId];
  const item = position === undefined ? undefined : get(state.items, position);
  return item?.kind === "tool" && item.output === null ? item : undefined;
}

/** What a snapshot holds: the state with its list flattened, and the fold it came from. */
export type RunSnapshot = Omit<RunState, "items"> & {
  readonly reducer: number;
  readonly items: readonly Item[];
};

export function toSnapshot(state: RunState): RunSnapshot {
  return { ...state, items: toArray(state.items), reducer: REDUCER_VERSION };
}

/** Undefined when another version of the reducer made it: fold from the start instead. */
export function fromSnapshot(snapshot: RunSnapshot): RunState | undefined {
  const { reducer, ...state } = snapshot;
  if (reducer !== REDUCER_VERSION) return undefined;
  return { ...state, items: vectorOf(snapshot.items) };
}
