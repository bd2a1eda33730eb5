// Sessions and turns in the daemon's words. What it calls a turn is a person's message and everything
// that is done about it: a root run. Our own turns (model calls) are only heartbeats there.
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import type { EventOf } from "../../../kernel/events/events.ts";
import { NOTHING } from "../../../kernel/dialect/dialect.ts";
import { MODEL_CALL, type DaemonEnvelope } from "./events.ts";
import { forgetRequests, showAgain, showAsking } from "./human.ts";
import { isSubagents, runOf, emit, type DaemonState, type OpenRun } from "./state.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";

export const lifecycleTable = {
  "session.created": (event, state) => {
    state.model = event.payload.model;
    state.projectPath = event.payload.workspace;
    return sessionStarted(event, state);
  },

  "session.updated": (event, state) => {
    const { model, workspace, deleted } = event.payload;
    state.model = model ?? state.model;
    state.projectPath = workspace ?? state.projectPath;
    if (deleted === undefined || deleted === state.deleted) return NOTHING;
    state.deleted = deleted;
    if (!deleted) return sessionStarted(event, state); // it is back in every list
    const timestamp = isoTime(event.created_at);
    return emit(event, "stream.session_ended", {
      sessionId: event.session_id,
      timestamp,
      reason: "destroyed",
    });
  },

  "run.started": (event, state) => {
    if (isSubagents(state, event) || runOf(state, event)) return NOTHING;
    state.turns += 1;
    const run = openRun(state.turns, event.created_at);
    state.runs[event.run_id] = run;
    return emit(event, "stream.turn_started", turnRef(event, run));
  },

  status: (event, state) => {
    const { status, reason } = event.payload;
    const again = showAgain(event, state);
    const run = runOf(state, event);
    if (status === "cancelling" && run) {
      return emit(event, "stream.cancelled", { sessionId: event.session_id });
    }
    if (again) return again;
    const asking = showAsking(event, state);
    if (asking.length > 0) return asking;
    if (!run) return NOTHING; // a subagent's, or of a run that waits in the queue
    if (status === "awaiting_clarify" && reason === "budget") return budgetReached(event, run);
    const phase = reason === null ? status : `${status}: ${reason}`;
    return emit(event, "stream.heartbeat", { phase });
  },

  "turn.started": (event, state) => beat(event, state, MODEL_CALL),
  progress: (event, state) => beat(event, state, event.payload.phase),
  recovery: (event, state) => beat(event, state, "recovery"),

  // What was said so far counts for nothing any more; the client must not go on in the same breath.
  "turn.superseded": (event, state) => {
    const { reason, message } = event.payload;
    if (reason === "cancelled" || isSubagents(state, event)) return NOTHING;
    return emit(event, "stream.error", { error: message });
  },

  "message.completed": (event, state) => {
    const run = runOf(state, event);
    if (run) run.finish = event.payload.finish_reason;
    return NOTHING;
  },

  error: (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    return emit(event, "stream.error", { error: event.payload.message });
  },

  done: (event, state) => {
    const run = runOf(state, event);
    forget(state, event.run_id);
    if (!run) return NOTHING; // a subagent's, or one that never began
    return emit(event, "stream.turn_completed", {
      ...turnRef(event, run),
      durationMs: elapsedMs(event, run),
      toolCount: run.tools,
      stopReason: stopReason(event, run),
    });
  },
} satisfies EventHandlers<[state: DaemonState], readonly DaemonEnvelope[]>;

function sessionStarted(event: EventOf<"session.created" | "session.updated">, state: DaemonState) {
  const { model, projectPath } = state;
  const timestamp = isoTime(event.created_at);
  const sessionId = event.session_id;
  return emit(event, "stream.session_started", { sessionId, model, timestamp, projectPath });
}

function openRun(turn: number, startedAt: number): OpenRun {
  return { turn, startedAt, tools: 0, finish: "", step: null, budgets: 0, budgetReason: "" };
}

function turnRef(event: EventOf<"run.started" | "done">, { turn }: OpenRun) {
  return {
    sessionId: event.session_id,
    requestId: `turn-${event.run_id}`,
    turnNumber: turn,
    timestamp: isoTime(event.created_at),
  };
}

/** A request of its own says what can be answered; this says what was used up. */
function budgetReached(event: EventOf<"status">, run: OpenRun) {
  return emit(event, "stream.budget_exhausted", {
    sessionId: event.session_id,
    reason: run.budgetReason,
    elapsedMs: elapsedMs(event, run),
    extensionCount: Math.max(0, run.budgets - 1),
    softLimitReached: true,
  });
}

function elapsedMs({ created_at }: { created_at: number }, { startedAt }: OpenRun): number {
  return Math.max(0, Math.round((created_at - startedAt) * 1000));
}

function beat(
  event: EventOf<"turn.started" | "progress" | "recovery">,
  state: DaemonState,
  phase: string,
): readonly DaemonEnvelope[] {
  return runOf(state, event) ? emit(event, "stream.heartbeat", { phase }) : NOTHING;
}

const ENDED: Record<Exclude<EventOf<"done">["payload"]["status"], "completed">, string> = {
  failed: "ERROR",
  expired: "ERROR",
  cancelled: "CANCELLED", // not in the document's list; the client shows whatever it is
};

function stopReason({ payload }: EventOf<"done">, { finish }: OpenRun): string {
  if (payload.status !== "completed") return ENDED[payload.status];
  return finish === "length" ? "MAX_TOKENS" : "END_TURN";
}

/** Nothing follows the end of a run. */
function forget(state: DaemonState, runId: string): void {
  delete state.runs[runId];
  delete state.children[runId];
  forgetRequests(state, runId);
  for (const id of Object.keys(state.calls)) if (id.startsWith(`${runId}.`)) delete state.calls[id];
}
