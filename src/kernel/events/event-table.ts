// How a union of events is consumed: every event is decided, by its own handler or by one of its family, checked by the
// compiler. Kept apart from events.ts so that reducers in a browser do not pay for the schemas.
import type { EventOf, EventType, RunEvent } from "./events.ts";

/** The first word of its name: `plan` of `plan.created`. */
type FamilyOf<Type> = Type extends `${infer Family}.${string}` ? Family : never;

/** One handler per event type. */
export type EventHandlers<Args extends unknown[], Out> = {
  readonly [Type in EventType]: (event: EventOf<Type>, ...args: Args) => Out;
};
type FamilyHandlers<Args extends unknown[], Out> = {
  readonly [Family in FamilyOf<EventType> as `${Family}.*`]: (
    event: EventOf<Extract<EventType, `${Family}.${string}`>>,
    ...args: Args
  ) => Out;
};
type Handlers<Args extends unknown[], Out> = Partial<EventHandlers<Args, Out>> &
  Partial<FamilyHandlers<Args, Out>>;

declare const decided: unique symbol;
/** Made by `eventTable`, which does not compile until every event type has a handler. */
export type EventTable<Args extends unknown[], Out> = Handlers<Args, Out> & {
  readonly [decided]: true;
};

/** The events that neither they nor their family have a handler for. */
type Undecided<Table> = {
  readonly [
    Type in EventType as Type extends keyof Table
      ? never
      : `${FamilyOf<Type>}.*` extends keyof Table
        ? never
        : Type
  ]: "has no handler";
};

/** `"plan.*"` is for every event of the family `plan` that has no handler of its own, also for those added later. */
export function eventTable<Args extends unknown[], Out>() {
  return <Table extends Handlers<Args, Out>>(
    table: Table & Undecided<Table>,
  ): EventTable<Args, Out> => table as unknown as EventTable<Args, Out>;
}

/** Undefined at run time only: a newer writer may have used a type this build has never heard of. */
export function handlerOf<Args extends unknown[], Out>(
  table: EventTable<Args, Out>,
  type: string,
): ((event: RunEvent, ...args: Args) => Out) | undefined {
  const handlers = table as unknown as Readonly<
    Record<string, (event: RunEvent, ...args: Args) => Out>
  >;
  if (Object.hasOwn(handlers, type)) return handlers[type];
  const family = `${type.slice(0, type.indexOf("."))}.*`;
  return Object.hasOwn(handlers, family) ? handlers[family] : undefined;
}

export function matchEvent<Args extends unknown[], Out>(
  table: EventTable<Args, Out>,
  event: RunEvent,
  ...args: Args
): Out | undefined {
  return handlerOf(table, event.type)?.(event, ...args);
}
