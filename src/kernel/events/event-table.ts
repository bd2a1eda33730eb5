// Tables that decide about every event, by its own entry or by one of its family; an undecided event does not compile.
// Kept apart from events.ts so that reducers in a browser do not load the schemas.
import type { EventOf, EventType, RunEvent } from "./events.ts";
import { own } from "./own.ts";

/** The first word of its name: `plan` of `plan.created`. */
type FamilyOf<Type> = Type extends `${infer Family}.${string}` ? Family : never;
/** Of all events, also those whose name is one word (`done`). */
export type EventFamily = FamilyOf<EventType> | Exclude<EventType, `${string}.${string}`>;

/** Entries for events, and for families of events (`"plan.*"`). */
export type EventHandlers<Args extends unknown[], Out> = {
  readonly [Type in EventType]?: (event: EventOf<Type>, ...args: Args) => Out;
} & {
  readonly [Family in FamilyOf<EventType> as `${Family}.*`]?: (
    event: EventOf<Extract<EventType, `${Family}.${string}`>>,
    ...args: Args
  ) => Out;
};

declare const decided: unique symbol;
/** Made by `eventTable`, which does not compile until every event type has a handler. */
export type EventTable<Args extends unknown[], Out> = EventHandlers<Args, Out> & {
  readonly [decided]: true;
};

/** The events that have an entry neither for themselves nor for their family. */
type Undecided<Table> = {
  readonly [
    Type in EventType as Type extends keyof Table
      ? never
      : `${FamilyOf<Type>}.*` extends keyof Table
        ? never
        : Type
  ]: "has no handler";
};

/** `"plan.*"` handles every event of the family `plan` that has no entry of its own, also those added later. */
export function eventTable<Args extends unknown[], Out>() {
  return <Table extends EventHandlers<Args, Out>>(
    table: Table & Undecided<Table>,
  ): EventTable<Args, Out> => table as unknown as EventTable<Args, Out>;
}

/** Undefined: a newer build wrote a type that this one does not know. */
export function handlerOf<Args extends unknown[], Out>(
  table: EventHandlers<Args, Out>,
  type: string,
): ((event: RunEvent, ...args: Args) => Out) | undefined {
  const handlers = table as unknown as Readonly<
    Record<string, (event: RunEvent, ...args: Args) => Out>
  >;
  return own(handlers, type) ?? own(handlers, `${type.slice(0, type.indexOf("."))}.*`);
}

export function matchEvent<Args extends unknown[], Out>(
  table: EventHandlers<Args, Out>,
  event: RunEvent,
  ...args: Args
): Out | undefined {
  return handlerOf(table, event.type)?.(event, ...args);
}
