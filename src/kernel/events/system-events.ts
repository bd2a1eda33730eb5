// The events of the system log. Dialects and reducers of runs never see them, because no session has them.
import { z } from "zod";
import * as house from "./catalogue/system.ts";
import type { defineSystemEvent } from "./event.ts";
import type { Draft } from "./events.ts";

/** The id of the system log and of its session. No id from outside can be spelled like it (ids.ts). */
export const SYSTEM_LOG = "$house";

export const SYSTEM_EVENTS = [
  house.SystemLogOpened,
  house.LoginSucceeded,
  house.LoginFailed,
  house.TokenRotated,
  house.ApprovalAnswered,
  house.SettingsChanged,
  house.ExportMade,
  house.ImportMade,
  house.TerminalOpened,
  house.TerminalClosed,
  house.BrowserConnected,
  house.BrowserDisconnected,
  house.MemoryChanged,
] as const;
/** Generated documents list these after the events of features; moving them would change every document. */
export const LATER_SYSTEM_EVENTS = [
  house.SkillChanged,
  house.QuarantineLifted,
  house.HistoryLost,
] as const;

/** Features add theirs, each in its events.ts (`declare module`). */
export interface SystemEvents {
  house: z.infer<(typeof SYSTEM_EVENTS)[number] | (typeof LATER_SYSTEM_EVENTS)[number]>;
}
export type SystemEvent = SystemEvents[keyof SystemEvents];
export type SystemEventType = SystemEvent["type"];
export type SystemEventSchema = ReturnType<typeof defineSystemEvent>;

type DraftOf<Event> = Event extends SystemEvent ? Pick<Event, "type" | "payload"> : never;
export type SystemDraft = DraftOf<SystemEvent>;
export type PayloadOfSystem<Type extends SystemEventType> = Extract<
  SystemEvent,
  { type: Type }
>["payload"];
/** What any log may hold. */
export type AnyDraft = Draft | SystemDraft;

/** What the system log may hold: the events above and those that features add. */
export function systemCatalogue(added: readonly SystemEventSchema[]) {
  const schemas: readonly SystemEventSchema[] = [
    ...SYSTEM_EVENTS,
    ...added,
    ...LATER_SYSTEM_EVENTS,
  ];
  const payloads = new Map(schemas.map(({ shape }) => [shape.type.value, shape.payload]));
  return {
    types: [...payloads.keys()],
    /** Why a draft may not be written, or undefined when it may. */
    problem({ type, payload }: AnyDraft): string | undefined {
      const result = payloads.get(type)?.safeParse(payload);
      if (!result) return `unknown event type ${type}`;
      return result.success ? undefined : `${type}: ${z.prettifyError(result.error)}`;
    },
  };
}
