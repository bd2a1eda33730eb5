// What each event does to a session's state. Most events inside a run change nothing here.
import { eventTable } from "../../events/event-table.ts";
import type { RunEvent } from "../../events/events.ts";
import { isTerminal } from "../run/status.ts";
import type { PendingRequest, RunSummary, SessionDraft } from "./session-state.ts";
import { get, push, set } from "../vector.ts";

const ignore = () => {};

export const sessionCases = eventTable<[draft: SessionDraft], void>()({
  "session.created": ({ payload }, draft) => {
    draft.title = payload.title;
    draft.source = payload.source;
    draft.workspace = payload.workspace;
    draft.model = payload.model;
    draft.profile = payload.profile;
    draft.parentSessionId = payload.parent_session_id;
    draft.projectId = payload.project_id ?? null;
  },
  "session.updated": ({ payload }, draft) => {
    draft.model = payload.model ?? draft.model;
    draft.workspace = payload.workspace ?? draft.workspace;
    draft.profile = payload.profile ?? draft.profile;
    draft.yolo = payload.yolo ?? draft.yolo;
    draft.deleted = payload.deleted ?? draft.deleted;
    draft.pinned = payload.pinned ?? draft.pinned;
    draft.permissions = payload.permissions ?? draft.permissions;
    if (payload.project_id !== undefined) draft.projectId = payload.project_id;
  },
  "session.rewound": ({ payload }, draft) => {
    const gone = new Set(payload.run_ids);
    for (let at = draft.runs.length - 1; at >= 0 && gone.size > 0; at -= 1) {
      const run = get(draft.runs, at);
      if (run && gone.delete(run.runId))
        draft.runs = set(draft.runs, at, { ...run, rewound: true });
    }
  },
  "title.updated": ({ payload }, draft) => {
    draft.title = payload.title;
  },
  "message.user": (event, draft) => {
    draft.messages += 1;
    if (draft.open[event.run_id] !== undefined) return;
    draft.open = { ...draft.open, [event.run_id]: draft.runs.length };
    draft.runs = push<RunSummary>(draft.runs, {
      runId: event.run_id,
      status: "queued",
      prompt: event.payload.text.slice(0, 200),
      model: "",
      parentRunId: null,
      rewound: false,
      seq: event.seq,
      createdAt: event.created_at,
    });
  },
  "run.queued": (event, draft) =>
    changeRun(draft, event, {
      model: event.payload.model,
      parentRunId: event.payload.parent_run_id,
    }),
  "run.started": (event, draft) => {
    changeRun(draft, event, { status: "running" });
    draft.queue = draft.queue.filter(({ runId }) => runId !== event.run_id);
  },
  status: (event, draft) => changeRun(draft, event, { status: event.payload.status }),
  "approval.requested": (event, draft) =>
    ask(draft, event, {
      requestId: event.payload.approval_id,
      kind: "approval",
      prompt: event.payload.prompt,
      choices: event.payload.choices,
    }),
  "clarify.requested": (event, draft) =>
    ask(draft, event, {
      requestId: event.payload.clarify_id,
      kind: "clarify",
      prompt: event.payload.question,
      choices: event.payload.choices,
    }),
  "tool.outcome_unknown": (event, draft) =>
    ask(draft, event, {
      requestId: event.payload.request_id,
      kind: "unknown_outcome",
      prompt: event.payload.message,
      choices: event.payload.choices,
    }),
  "approval.resolved": ({ payload }, draft) => settle(draft, payload.approval_id),
  "clarify.resolved": ({ payload }, draft) => settle(draft, payload.clarify_id),
  "queue.updated": ({ payload }, draft) => {
    draft.queue = payload.items.map(({ run_id, message_id, text }) => ({
      runId: run_id,
      messageId: message_id,
      text,
    }));
    reorder(
      draft,
      payload.items.map(({ run_id }) => run_id),
    );
  },
  "goal.updated": ({ payload }, draft) => {
    const { status, text } = payload;
    draft.goal = status === "cleared" || text === null ? null : { text, status };
  },
  "message.edited": (event, draft) => {
    const { message_id, text } = event.payload;
    const queued = draft.queue.find(({ messageId }) => messageId === message_id);
    if (!queued || text === null) return;
    changeRun(draft, event, { prompt: text.slice(0, 200) });
  },
  "goal.decided": ({ payload }, draft) => {
    if (payload.decision === "met") draft.goal = null;
    else if (payload.decision === "blocked" && draft.goal) {
      draft.goal = { ...draft.goal, status: "paused" };
    }
  },
  "message.completed": (_event, draft) => {
    draft.messages += 1;
  },
  "usage.updated": ({ payload }, draft) => {
    draft.tokens += payload.total_tokens ?? 0;
  },
  done: (event, draft) => {
    changeRun(draft, event, { status: event.payload.status });
    const { [event.run_id]: _ended, ...open } = draft.open;
    draft.open = open;
    draft.queue = draft.queue.filter(({ runId }) => runId !== event.run_id);
    const waiting = Object.entries(draft.pending).filter(([, { runId }]) => runId !== event.run_id);
    draft.pending = Object.fromEntries(waiting);
  },

  "turn.*": ignore,
  "token.*": ignore,
  "reasoning.*": ignore,
  progress: ignore,
  "tool.*": ignore,
  "todo.*": ignore,
  "plan.*": ignore,
  "subagent.*": ignore,
  compaction: ignore,
  "usage.*": ignore,
  "checkpoint.*": ignore,
  "files.*": ignore,
  "process.*": ignore,
  received: ignore,
  recovery: ignore,
  error: ignore,
});

function changeRun(draft: SessionDraft, event: RunEvent, change: Partial<RunSummary>): void {
  const position = draft.open[event.run_id];
  const run = position === undefined ? undefined : get(draft.runs, position);
  if (position === undefined || !run || isTerminal(run.status)) return;
  draft.runs = set(draft.runs, position, { ...run, ...change, seq: event.seq });
}

/** Waiting runs that were moved change places with each other: they are listed as they will run. */
function reorder(draft: SessionDraft, runIds: readonly string[]): void {
  const waiting = runIds.filter((runId) => draft.open[runId] !== undefined);
  const runs = waiting.map((runId) => get(draft.runs, draft.open[runId] ?? -1));
  const places = waiting.map((runId) => draft.open[runId] ?? -1).toSorted((a, b) => a - b);
  const open = { ...draft.open };
  for (const [index, place] of places.entries()) {
    const run = runs[index];
    if (!run || open[run.runId] === place) continue;
    draft.runs = set(draft.runs, place, run);
    open[run.runId] = place;
  }
  draft.open = open;
}

function ask(
  draft: SessionDraft,
  event: RunEvent,
  request: Omit<PendingRequest, "runId" | "at">,
): void {
  const pending: PendingRequest = { ...request, runId: event.run_id, at: event.created_at };
  draft.pending = { ...draft.pending, [request.requestId]: pending };
}

function settle(draft: SessionDraft, requestId: string): void {
  const { [requestId]: _settled, ...pending } = draft.pending;
  draft.pending = pending;
}
