// The state that most dialects need: which runs are subagents, and which calls are open. Both are deleted when they end;
// otherwise the state of a long session would grow without bound.
import type { EventOf } from "../events/events.ts";
import { own } from "../events/own.ts";

export type OpenCall = {
  readonly runId: string;
  readonly turnId: string;
  readonly providerCallId: string;
  readonly name: string;
  readonly label: string;
  arguments: unknown; // as they will be used: a person may have edited them
  startedAt: number | null; // unix seconds; null: nothing has happened yet
};

export type CallIndex = {
  /** Parents of subagents' runs, by run. */
  readonly children: Record<string, string>;
  /** By `scoped` id. */
  readonly open: Record<string, OpenCall>;
};

export function emptyCallIndex(): CallIndex {
  return { children: {}, open: {} };
}

/** Ids of calls, turns and messages are unique within their run; windows show whole sessions. */
export function scoped({ run_id }: { readonly run_id: string }, id: string): string {
  return `${run_id}.${id}`;
}

export function isChild(calls: CallIndex, { run_id }: { readonly run_id: string }): boolean {
  return Object.hasOwn(calls.children, run_id);
}

type CallEvent = EventOf<
  | "subagent.started"
  | "subagent.completed"
  | "tool.intent"
  | "tool.replanned"
  | "tool.started"
  | "tool.done"
>;

/** Handlers of these events call it before they emit anything. Returns the call, if it is known. */
export function recordCall(calls: CallIndex, event: CallEvent): OpenCall | undefined {
  const key = scoped(event, event.payload.call_id);
  if (event.type === "subagent.started") calls.children[event.payload.child_run_id] = event.run_id;
  if (event.type === "tool.intent") calls.open[key] = opened(event);
  const call = own(calls.open, key);
  if (call && event.type === "tool.replanned") call.arguments = event.payload.plan.arguments;
  if (call && event.type === "tool.started") {
    call.arguments = event.payload.arguments;
    call.startedAt = event.created_at;
  }
  if (event.type === "tool.done") delete calls.open[key];
  return call;
}

/** The call an event is about, if it is open. */
export function callOf(calls: CallIndex, event: EventOf<"tool.updated">): OpenCall | undefined {
  return own(calls.open, scoped(event, event.payload.call_id));
}

function opened({ run_id, payload }: EventOf<"tool.intent">): OpenCall {
  return {
    runId: run_id,
    turnId: payload.turn_id,
    providerCallId: payload.provider_call_id,
    name: payload.name,
    label: payload.label,
    arguments: payload.plan.arguments,
    startedAt: null,
  };
}
