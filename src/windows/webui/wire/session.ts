// The browser's session channel: it says that a run began, ended or asks, or that the session changed. The page then
// reads what changed.
import type { RunEvent } from "../../../kernel/events/events.ts";
import {
  emptyCallIndex,
  isChild,
  recordCall,
  type CallIndex,
} from "../../../kernel/dialect/call-index.ts";
import {
  dialectTable,
  NOTHING,
  nothing,
  SILENT,
  type Dialect,
} from "../../../kernel/dialect/dialect.ts";

export type ChannelFrame = {
  readonly event: "server_turn_started" | "session-updated" | "bg_task_complete" | "title";
  readonly data: Readonly<Record<string, unknown>>;
};
type Frames = readonly ChannelFrame[];

/** Also what a page is told of a run that was there before it came: then it is `recovered`. */
export function turnStarted(
  {
    run_id: stream_id,
    session_id,
    created_at,
  }: Pick<RunEvent, "run_id" | "session_id" | "created_at">,
  more: { readonly recovered?: true } = {},
): ChannelFrame {
  const data = { session_id, stream_id, pending_started_at: created_at, ...more };
  return { event: "server_turn_started", data };
}

function updated(event: RunEvent, more: object = {}): Frames {
  const { session_id, run_id, type: reason } = event;
  const stream = run_id === session_id ? {} : { stream_id: run_id };
  return [{ event: "session-updated", data: { session_id, ...stream, reason, ...more } }];
}

const change = (event: RunEvent) => updated(event);

export const webuiSessionDialect: Dialect<CallIndex, ChannelFrame> = {
  name: "webui-session",
  of: "session",
  frames: "one",
  begin: emptyCallIndex,
  table: dialectTable<CallIndex, ChannelFrame>()({
    ...SILENT,
    status: nothing,
    error: nothing,
    "subagent.started": (event, calls) => {
      recordCall(calls, event);
      return NOTHING;
    },
    "run.started": (event, calls) => (isChild(calls, event) ? NOTHING : [turnStarted(event)]),
    done: (event, calls) => {
      if (!isChild(calls, event)) return updated(event, { status: event.payload.status });
      delete calls.children[event.run_id]; // a run's end is its last event
      return NOTHING;
    },
    "title.updated": ({ session_id, payload: { title } }) => [
      { event: "title", data: { session_id, title } },
    ],
    "session.updated": change,
    "session.rewound": change,
    "goal.*": change,
    "approval.requested": change,
    "approval.resolved": change,
    "clarify.requested": change,
    "clarify.resolved": change,
    "tool.outcome_unknown": change,
    "process.exited": ({ session_id, run_id: stream_id, payload }) => {
      const { process_id: task_id, exit_code, signal } = payload;
      const data = { session_id, stream_id, task_id, exit_code, signal };
      return [{ event: "bg_task_complete", data }];
    },
  }),
  unknown: nothing,
  kind: ({ event }) => event,
};
