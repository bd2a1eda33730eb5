// Tool calls and the commands they leave behind, in the timeline.
import type { EventHandlers } from "../../events/event-table.ts";
import type { EventOf } from "../../events/events.ts";
import type { SpanStatus, TimelineDraft } from "./timeline.ts";
import { begin, callSpan, change, close, end, endingOf, head } from "./draft.ts";
import { lostEnding, open } from "./draft.ts";
import { own } from "../../events/own.ts";

const ENDED: Record<EventOf<"tool.done">["payload"]["status"], SpanStatus> = {
  completed: "done",
  marked_done: "done",
  failed: "failed",
  denied: "denied",
  skipped: "cancelled",
  cancelled: "cancelled",
};

const ignore = () => {};

export const toolLaneCases = {
  "tool.*": ignore,
  "checkpoint.*": ignore,
  "files.*": ignore,
  "process.*": ignore,

  "tool.intent": (event, draft) => {
    const { call_id, name, label } = event.payload;
    const { line } = draft;
    if (line.turn) end(draft, line.turn.place, endingOf(event, "done")); // the model has decided
    const call = { seq: event.seq, name, label: head(label) || name, place: null };
    line.calls = { ...line.calls, [call_id]: call };
  },

  "tool.started": (event, draft) => {
    const { call_id, name } = event.payload;
    const { line } = draft;
    const call = own(line.calls, call_id) ?? { seq: event.seq, name, label: name, place: null };
    const before = callSpan(draft, call_id);
    // A subagent outlives the runner that asked for it: the same wait goes on.
    if (before?.endedAt === null && before.childRunId !== null) return;
    if (call.place !== null) end(draft, call.place, lostEnding(event, draft, "superseded"));
    const place = beginCall(event, draft, call);
    line.calls = { ...line.calls, [call_id]: { ...call, place } };
  },

  "tool.done": (event, draft) => {
    const { call_id, status } = event.payload;
    const { line } = draft;
    const { [call_id]: call, ...others } = line.calls;
    if (!call) return; // the first result stays
    line.calls = others;
    const place = call.place ?? beginCall(event, draft, call); // it never began: a moment
    end(draft, place, endingOf(event, ENDED[status] ?? "done"));
    // Somebody decided what an unknown outcome was to count for.
    change(line, place, (span) =>
      span.status === "unknown" ? { ...span, status: ENDED[status] ?? "done" } : span,
    );
  },

  "process.started": (event, draft) => {
    const { process_id, call_id, command } = event.payload;
    open(draft, `process:${process_id}`, event, {
      kind: "process",
      lane: "tools",
      label: head(command),
      detail: "In the background",
      seq: own(draft.line.calls, call_id)?.seq ?? event.seq,
      parent: callSpan(draft, call_id)?.id ?? null,
    });
  },
  "process.exited": (event, draft) => {
    const { process_id, exit_code } = event.payload;
    const killed = exit_code === null ? "cancelled" : "failed";
    close(draft, `process:${process_id}`, endingOf(event, exit_code === 0 ? "done" : killed));
  },
} satisfies EventHandlers<[draft: TimelineDraft], void>;

type Call = { readonly seq: number; readonly label: string; readonly name: string };

function beginCall(
  event: EventOf<"tool.started" | "tool.done">,
  draft: TimelineDraft,
  { seq, label, name }: Call,
): number {
  return begin(draft, event, { kind: "call", lane: "tools", label, detail: name, seq });
}
