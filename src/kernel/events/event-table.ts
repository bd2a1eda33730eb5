// How a union of events is consumed: one handler per type, checked by the compiler.
// Kept apart from events.ts so that reducers in a browser do not pay for the schemas.
import type { EventOf, EventType, RunEvent } from "./events.ts";

/** One handler per event type. A missing handler is a compile error, never a silent default. */
export type EventTable<Args extends unknown[], Out> = {
  readonly [Type in EventType]: (event: EventOf<Type>, ...args: Args) => Out;
};

export function matchEvent<Args extends unknown[], Out>(
  table: EventTable<Args, Out>,
  event: RunEvent,
  ...args: Args
): Out | undefined {
  // undefined at run time only: a newer writer may have used a type this build has never heard of.
  const handler = Object.hasOwn(table, event.type)
    ? (table[event.type] as (event: never, ...args: Args) => Out)
    : undefined;
  return handler?.(event as never, ...args);
}
