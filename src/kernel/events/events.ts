// Every event that a session's logs can hold. An event is added to a list of catalogue/; what stops compiling then are
// the tables that decide about neither it nor its family. The order here is the order in the generated schemas.
import { z } from "zod";
import { FILE_EVENTS } from "./catalogue/files.ts";
import { CONTROL_EVENTS, REQUEST_EVENTS, STEERING_EVENTS } from "./catalogue/human.ts";
import { ENDING_EVENTS, LIFECYCLE_EVENTS } from "./catalogue/lifecycle.ts";
import { OUTPUT_EVENTS, USAGE_EVENTS } from "./catalogue/output.ts";
import { PLAN_EVENTS } from "./catalogue/plans.ts";
import { PROCESS_EVENTS, TOOL_EVENTS } from "./catalogue/tools.ts";
import type { EventFacts } from "./event.ts";

export const RunEvent = z.discriminatedUnion("type", [
  ...LIFECYCLE_EVENTS,
  ...OUTPUT_EVENTS,
  ...TOOL_EVENTS,
  ...REQUEST_EVENTS,
  ...PLAN_EVENTS,
  ...USAGE_EVENTS,
  ...STEERING_EVENTS,
  ...FILE_EVENTS,
  ...PROCESS_EVENTS,
  ...CONTROL_EVENTS,
  ...ENDING_EVENTS,
]);
export type RunEvent = z.infer<typeof RunEvent>;

type Definition = (typeof RunEvent.options)[number];
/** Events that search finds. */
export type SearchedType = Extract<
  Definition,
  { facts: { search: true } }
>["shape"]["type"]["value"];

const FACTS: ReadonlyMap<string, EventFacts<never>> = new Map(
  RunEvent.options.map(({ shape, facts }) => [shape.type.value, facts as EventFacts<never>]),
);

/** Undefined: an extension, an event of the system's log or of a newer build. */
export function factsOf(type: string): EventFacts<never> | undefined {
  return FACTS.get(type);
}

export type EventType = RunEvent["type"];
export type EventOf<Type extends EventType> = Extract<RunEvent, { type: Type }>;
export type PayloadOf<Type extends EventType> = EventOf<Type>["payload"];

type DraftOf<Event> = Event extends RunEvent ? Pick<Event, "type" | "payload"> : never;
/** What a writer may propose. `x.*` is open to extensions and is never interpreted here. */
export type Draft =
  | DraftOf<RunEvent>
  | { type: `x.${string}`; payload: Record<string, z.core.util.JSONType> };

const PAYLOADS: ReadonlyMap<string, z.ZodType> = new Map(
  RunEvent.options.map((option): [string, z.ZodType] => [
    option.shape.type.value,
    option.shape.payload,
  ]),
);
const EXTENSION = /^x\.[a-z0-9_.]{1,64}$/;
const AnyPayload = z.record(z.string(), z.json());

export const EVENT_TYPES: readonly string[] = [...PAYLOADS.keys()];

/** Why a draft may not be written, or undefined when it may. Writers are strict; readers are not. */
export function draftProblem(draft: Draft): string | undefined {
  const schema = PAYLOADS.get(draft.type) ?? (EXTENSION.test(draft.type) ? AnyPayload : undefined);
  if (!schema) return `unknown event type ${draft.type}`;
  const result = schema.safeParse(draft.payload);
  return result.success ? undefined : `${draft.type}: ${z.prettifyError(result.error)}`;
}
