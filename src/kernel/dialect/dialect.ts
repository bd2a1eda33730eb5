// A dialect turns a session's events into the frames of a foreign protocol: a table with an entry per event or family,
// and a state that only the dialect reads. The state is plain data, changed in place. A client that resumes gets the
// events folded again from the beginning, and only the frames after its cursor are sent.
import { eventTable, handlerOf, type EventTable } from "../events/event-table.ts";
import type { RunEvent } from "../events/events.ts";

export type EmitOptions = {
  /** The event is history, sent to a window that has just been opened. */
  readonly replay: boolean;
};

/** An event of a newer build, or an extension (`x.*`): its envelope is known, its payload is not. */
export type UnknownEvent = Omit<RunEvent, "type" | "payload"> & {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

export type Dialect<State, Frame extends object = object> = {
  readonly name: string;
  /** What one window of it shows: a session, or a run with its subagents. */
  readonly of: "session" | "run";
  /** How many frames an event becomes at most. A run's last event may have one more, which says so. */
  readonly frames: "one" | "one, two at the end" | "any";
  /** Where a client goes on, for frames that say it themselves. */
  readonly cursor?: (frame: Frame) => number;
  /** Before the first event. */
  readonly begin: () => State;
  readonly table: EventTable<[state: State, emitOptions: EmitOptions], readonly Frame[]>;
  readonly unknown: (
    event: UnknownEvent,
    state: State,
    emitOptions: EmitOptions,
  ) => readonly Frame[];
  /** What a frame is called, for tables and tests. */
  readonly kind: (frame: Frame) => string;
};

/** Its events, or families of events; see `eventTable`. */
export function dialectTable<State, Frame extends object>() {
  return eventTable<[state: State, emitOptions: EmitOptions], readonly Frame[]>();
}

export const NOTHING: readonly never[] = [];
export const nothing = () => NOTHING;

/**
 * For windows that emit nothing for most events: the entries of their own table refine these. Requests to a person,
 * errors and the end of a run are not here, so that every table has to decide about them.
 */
export const SILENT = {
  "session.*": nothing,
  "title.*": nothing,
  "message.*": nothing,
  "run.*": nothing,
  "turn.*": nothing,
  "token.*": nothing,
  "reasoning.*": nothing,
  "tool.*": nothing,
  "todo.*": nothing,
  "plan.*": nothing,
  "subagent.*": nothing,
  "usage.*": nothing,
  "queue.*": nothing,
  "goal.*": nothing,
  "checkpoint.*": nothing,
  "files.*": nothing,
  "process.*": nothing,
  progress: nothing,
  compaction: nothing,
  received: nothing,
  recovery: nothing,
} as const;

export function encode<State, Frame extends object>(
  { table, unknown }: Pick<Dialect<State, Frame>, "table" | "unknown">,
  event: RunEvent | UnknownEvent,
  state: State,
  emitOptions: EmitOptions,
): readonly Frame[] {
  const handler = handlerOf(table, event.type);
  return handler
    ? handler(event as RunEvent, state, emitOptions)
    : unknown(event as UnknownEvent, state, emitOptions);
}
