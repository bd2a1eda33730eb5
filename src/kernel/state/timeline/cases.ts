// What each event begins or ends in the timeline.
import { eventTable } from "../../events/event-table.ts";
import type { EventOf, RunEvent } from "../../events/events.ts";
import type { RunLine, SpanStatus, TimelineDraft } from "./timeline.ts";
import { toolLaneCases } from "./cases-tool.ts";
import {
  begin,
  callSpan,
  change,
  close,
  closeAll,
  end,
  endingOf,
  ensureLine,
  head,
  lostEnding,
  open,
} from "./draft.ts";
import { get, set } from "../vector.ts";
import { own } from "../../events/own.ts";

const ignore = () => {};

const ENDED: Record<EventOf<"done">["payload"]["status"], SpanStatus> = {
  completed: "done",
  failed: "failed",
  cancelled: "cancelled",
  expired: "cancelled",
};
const ANSWERED: Record<string, SpanStatus> = {
  approved: "done",
  answered: "done",
  denied: "denied",
  expired: "cancelled",
  cancelled: "cancelled",
};

export const timelineCases = eventTable<[draft: TimelineDraft], void>()({
  ...toolLaneCases,

  // These take no time that anybody could measure.
  "session.*": ignore,
  "title.*": ignore,
  "queue.*": ignore,
  "goal.*": ignore,
  "message.*": ignore,
  "reasoning.*": ignore,
  "todo.*": ignore,
  "plan.*": ignore,
  "subagent.*": ignore,
  "usage.*": ignore,
  received: ignore,
  progress: ignore,
  error: ignore,

  "message.user": ({ payload, seq }, { line }) => {
    line.messageSeq = seq;
    if (line.title === "") line.title = head(payload.text);
  },

  "run.queued": (event, draft) => {
    const { line } = draft;
    line.parentRunId = event.payload.parent_run_id;
    line.rootRunId = event.payload.root_run_id;
    line.depth = event.payload.depth;
    const seq = line.messageSeq ?? event.seq;
    open(draft, "queue", event, { kind: "queued", lane: "queue", label: "Queued", seq });
  },
  "run.started": (event, draft) => void close(draft, "queue", endingOf(event, "done")),

  status: (event, draft) => {
    const { status, reason } = event.payload;
    if (status !== "paused") return void close(draft, "paused", endingOf(event, "done"));
    const detail = reason ?? "";
    open(draft, "paused", event, { kind: "paused", lane: "queue", label: "Paused", detail });
  },

  "turn.started": (event, draft) => {
    const { index, attempt, model, turn_id: turnId } = event.payload;
    cutTurn(event, draft);
    const again = attempt > 1 ? `, attempt ${attempt}` : "";
    const about = { kind: "turn", lane: "model", label: `Turn ${index}${again}` } as const;
    draft.line.turn = { turnId, place: begin(draft, event, { ...about, detail: model }) };
  },
  "token.delta": (event, draft) => shown(event, draft),
  "reasoning.delta": (event, draft) => shown(event, draft),
  "message.completed": (event, draft) => {
    const { text, turn_id } = event.payload;
    const { line } = draft;
    if (line.turn?.turnId !== turn_id) return;
    if (text !== "") shown(event, draft);
    end(draft, line.turn.place, endingOf(event, "done"));
    // A turn may say several things: it is over with the last of them.
    change(line, line.turn.place, (span) =>
      span.status === "done"
        ? { ...span, endedAt: event.created_at, to: event.seq, detail: head(text) || span.detail }
        : span,
    );
  },
  "turn.completed": (event, draft) => {
    if (draft.line.turn) end(draft, draft.line.turn.place, endingOf(event, "done"));
    draft.line.turn = null;
  },
  "turn.superseded": (event, draft) => {
    const { line } = draft;
    if (line.turn?.turnId !== event.payload.turn_id) return;
    end(draft, line.turn.place, endingOf(event, "superseded"));
    change(line, line.turn.place, (span) => ({
      ...span,
      status: "superseded",
      detail: head(event.payload.message),
    }));
    line.turn = null;
  },
  compaction: (event, draft) => {
    const about = { kind: "compaction", lane: "model", label: "Compressing" } as const;
    if (event.payload.phase === "started") return open(draft, "compaction", event, about);
    const place = close(draft, "compaction", endingOf(event, "done"));
    // In other views it is the notice of its end.
    if (place !== undefined) change(draft.line, place, (span) => ({ ...span, seq: event.seq }));
  },

  "approval.requested": (event, draft) => {
    const { approval_id, call_id, title, prompt } = event.payload;
    request(event, draft, { id: approval_id, callId: call_id, label: title, detail: prompt });
  },
  "approval.resolved": (event, draft) => {
    const { approval_id, status } = event.payload;
    close(draft, `request:${approval_id}`, endingOf(event, ANSWERED[status] ?? "done"));
  },
  "clarify.requested": (event, draft) => {
    const { clarify_id, call_id, question } = event.payload;
    request(event, draft, { id: clarify_id, callId: call_id, label: question, detail: "" });
  },
  "clarify.resolved": (event, draft) => {
    const { clarify_id, status, response } = event.payload;
    const key = `request:${clarify_id}`;
    const place = close(draft, key, endingOf(event, ANSWERED[status] ?? "done"));
    if (place === undefined || response === null) return;
    change(draft.line, place, (span) => ({ ...span, detail: head(response) }));
  },
  "tool.outcome_unknown": (event, draft) => {
    const { call_id, request_id, name, message } = event.payload;
    const call = draft.line.calls[call_id];
    if (call && call.place !== null) end(draft, call.place, lostEnding(event, draft, "unknown"));
    const label = `Did “${name}” happen?`;
    request(event, draft, { id: request_id, callId: call_id, label, detail: message });
  },

  "plan.step_started": (event, draft) => {
    const { step_id, name, index, total } = event.payload;
    const about = { kind: "step", lane: "plan", label: name } as const;
    open(draft, `step:${step_id}`, event, { ...about, detail: `Step ${index} of ${total}` });
  },
  "plan.step_completed": (event, draft) => {
    const { step_id, success } = event.payload;
    close(draft, `step:${step_id}`, endingOf(event, success ? "done" : "failed"));
  },
  "plan.step_fallback": (event, draft) => {
    const { step_id, name, approach } = event.payload;
    const about = { kind: "step", lane: "plan", label: name } as const;
    close(draft, `step:${step_id}`, endingOf(event, "failed"));
    open(draft, `step:${step_id}`, event, { ...about, detail: head(approach) });
  },
  "plan.replanned": (event, draft) => endSteps(event, draft, "cancelled"),
  "plan.completed": (event, draft) =>
    endSteps(event, draft, event.payload.success ? "done" : "failed"),
  "plan.escalated": (event, draft) => endSteps(event, draft, "failed"),

  "subagent.started": ({ payload, created_at }, { line, state }) => {
    const { call_id, child_run_id: childRunId, title, depth } = payload;
    if (childRunId === line.runId) return;
    const place = own(line.calls, call_id)?.place ?? null;
    if (place !== null) change(line, place, (span) => ({ ...span, childRunId }));
    const at = ensureLine(state, childRunId, created_at);
    const child = get(state.lines, at);
    if (!child) return;
    const askedBy = place === null ? null : (get(line.spans, place)?.id ?? null);
    const { runId: parentRunId, rootRunId } = line;
    const next = { ...child, askedBy, title: head(title), parentRunId, rootRunId, depth };
    state.lines = set<RunLine>(state.lines, at, next);
  },

  recovery: (event, draft) => {
    cutTurn(event, draft);
    // A run that only waits for a person needs no runner: when it was lost nobody can say.
    const waits = Object.keys(draft.line.open).some((key) => key.startsWith("request:"));
    const from = waits ? event.created_at : draft.heardAt;
    draft.line.lostAt = from;
    const label = event.payload.handed_over === true ? "Handed over" : "Runner lost";
    const about = { kind: "recovery", lane: "queue", label } as const;
    const place = begin(draft, event, {
      ...about,
      startedAt: from,
      detail: head(event.payload.message),
    });
    end(draft, place, endingOf(event, "done"));
  },

  done: (event, draft) => {
    const status = ENDED[event.payload.status] ?? "done";
    closeAll(draft, endingOf(event, status));
    draft.line.endedAt = Math.max(draft.line.startedAt, event.created_at);
    draft.line.status = status;
  },
});

type Asked = { id: string; callId: string | null; label: string; detail: string };

function request(event: RunEvent, draft: TimelineDraft, { id, callId, label, detail }: Asked) {
  const call = callId === null ? undefined : draft.line.calls[callId];
  const inside = callSpan(draft, callId);
  open(draft, `request:${id}`, event, {
    kind: "request",
    lane: "person",
    label: head(label),
    detail: head(detail),
    seq: call?.seq ?? event.seq,
    parent: inside?.endedAt === null ? inside.id : null,
  });
}

/** The first thing a turn shows is what it is in other views. */
function shown({ seq }: RunEvent, { line }: TimelineDraft): void {
  if (!line.turn) return;
  change(line, line.turn.place, (span) =>
    span.endedAt === null && span.seq === span.from ? { ...span, seq } : span,
  );
}

/** A turn that another one or another runner replaces was at work until it was last heard of. */
function cutTurn(event: RunEvent, draft: TimelineDraft): void {
  if (!draft.line.turn) return;
  end(draft, draft.line.turn.place, { ...endingOf(event, "superseded"), at: draft.heardAt });
}

function endSteps(event: RunEvent, draft: TimelineDraft, status: SpanStatus): void {
  for (const key of Object.keys(draft.line.open)) {
    if (key.startsWith("step:")) close(draft, key, endingOf(event, status));
  }
}
