// Every event the journal can hold. Adding one makes every EventTable fail to compile until
// the reducers and each dialect have decided what it means to them.
import { z } from "zod";
import * as files from "./catalogue/files.ts";
import * as human from "./catalogue/human.ts";
import * as lifecycle from "./catalogue/lifecycle.ts";
import * as output from "./catalogue/output.ts";
import * as plans from "./catalogue/plans.ts";
import * as tools from "./catalogue/tools.ts";
import type { EventFacts } from "./event.ts";

export const RunEvent = z.discriminatedUnion("type", [
  lifecycle.SessionCreated,
  lifecycle.SessionUpdated,
  lifecycle.SessionRewound,
  lifecycle.TitleUpdated,
  lifecycle.MessageUser,
  lifecycle.MessageEdited,
  lifecycle.RunQueued,
  lifecycle.RunStarted,
  lifecycle.StatusChanged,
  lifecycle.TurnStarted,
  lifecycle.TurnCompleted,
  lifecycle.TurnSuperseded,
  output.TokenDelta,
  output.MessageCompleted,
  output.ReasoningDelta,
  output.ReasoningDone,
  output.Progress,
  tools.ToolIntent,
  tools.ToolReplanned,
  tools.ToolStarted,
  tools.ToolUpdated,
  tools.ToolDone,
  tools.ToolOutcomeUnknown,
  human.ApprovalRequested,
  human.ApprovalResolved,
  human.ClarifyRequested,
  human.ClarifyResolved,
  plans.TodoUpdated,
  plans.PlanCreated,
  plans.PlanStepStarted,
  plans.PlanStepCompleted,
  plans.PlanStepFallback,
  plans.PlanReplanned,
  plans.PlanCompleted,
  plans.PlanEscalated,
  plans.SubagentStarted,
  plans.SubagentCompleted,
  output.Compaction,
  output.UsageUpdated,
  output.UsageFinal,
  human.QueueUpdated,
  human.GoalUpdated,
  human.GoalDecided,
  files.CheckpointCreated,
  files.FilesChanged,
  tools.ProcessStarted,
  tools.ProcessAsked,
  tools.ProcessOutput,
  tools.ProcessExited,
  human.Received,
  lifecycle.Recovery,
  lifecycle.ErrorRaised,
  lifecycle.Done,
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
