// Makes a frame of the console's stream, and holds the state that later frames need.
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import { isChild, type CallIndex } from "../../../kernel/dialect/call-index.ts";
import type { EmitOptions } from "../../../kernel/dialect/dialect.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { own } from "../../../kernel/events/own.ts";

export type ConsoleFrame = {
  readonly id: string; // of the event: the same in every window, for ever
  readonly type: string;
  readonly session_id: string;
  readonly run_id: string | null; // null: it happened outside any run
  readonly ts: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** A run that has not ended. */
export type OpenRun = {
  messageId: string;
  prompt: string; // its beginning
  shown: string[]; // outward ids of what the turn that is going on has said so far
  reasoning: string | null; // of that turn; null: too long to be kept
};
export type OpenRequest = {
  readonly runId: string;
  readonly kind: "approval" | "clarify" | "unknown_outcome";
};
export type ConsoleState = {
  readonly calls: CallIndex;
  readonly runs: Record<string, OpenRun>;
  readonly requests: Record<string, OpenRequest>;
};

export type Frames = readonly ConsoleFrame[];
export type Handlers = EventHandlers<[state: ConsoleState, emitOptions: EmitOptions], Frames>;

type Envelope = {
  readonly event_id: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly created_at: number;
};

/** What a person has to answer is told in the same words, whoever asks. */
const REQUESTS = new Set([
  "approval.requested",
  "approval.resolved",
  "clarify.requested",
  "clarify.resolved",
]);

export function isRequestFrame({ type }: Pick<ConsoleFrame, "type">): boolean {
  return REQUESTS.has(type);
}

/**
 * A subagent's own words and work get types that existing clients do not know: they show one
 * conversation per session and would take them for the agent's answer, or its end for the run's.
 */
export function emit(
  { calls }: ConsoleState,
  event: Envelope,
  type: string,
  payload: Readonly<Record<string, unknown>>,
): Frames {
  const { event_id: id, session_id, run_id, created_at } = event;
  // Of the session's own events the journal says its id.
  const ofRun = run_id === session_id ? null : run_id;
  const about = { session_id, run_id: ofRun, ts: isoTime(created_at) };
  if (!isChild(calls, event)) return [{ id, type, ...about, payload }];
  const known = REQUESTS.has(type) || type.startsWith("subagent.");
  return [
    {
      id,
      type: known ? type : `subagent.${type}`,
      ...about,
      payload: { ...payload, parent_run_id: calls.children[run_id] },
    },
  ];
}

export function openRun({ runs }: ConsoleState, { run_id }: { readonly run_id: string }): OpenRun {
  const known = own(runs, run_id);
  const run = known ?? { messageId: "", prompt: "", shown: [], reasoning: "" };
  runs[run_id] = run;
  return run;
}
