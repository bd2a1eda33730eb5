// Every event of the house's log. Dialects and reducers of runs never see them: no session has them.
import { z } from "zod";
import * as cron from "../../features/schedules/events.ts";
import * as gateway from "../../features/messengers/events.ts";
import * as house from "./catalogue/house.ts";
import type { Draft } from "./events.ts";

/** The house's log and session. No id from outside can be spelled like it (ids.ts). */
export const HOUSE = "$house";

export const HouseEvent = z.discriminatedUnion("type", [
  house.HouseOpened,
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
  cron.CronJobSet,
  cron.CronJobPaused,
  cron.CronJobResumed,
  cron.CronJobRemoved,
  cron.CronTicked,
  cron.CronRan,
  cron.CronDelivered,
  gateway.GatewayPlatformSet,
  gateway.GatewayHomeSet,
  gateway.GatewayPairingAsked,
  gateway.GatewayPairingApproved,
  gateway.GatewayPairingDenied,
  gateway.GatewayPairingRevoked,
  gateway.GatewayConnected,
  gateway.GatewayFailed,
  gateway.GatewayStopped,
  house.SkillChanged,
  house.QuarantineLifted,
  house.HistoryLost,
]);
export type HouseEvent = z.infer<typeof HouseEvent>;
export type HouseEventType = HouseEvent["type"];

type DraftOf<Event> = Event extends HouseEvent ? Pick<Event, "type" | "payload"> : never;
export type HouseDraft = DraftOf<HouseEvent>;
export type PayloadOfHouse<Type extends HouseEventType> = Extract<
  HouseEvent,
  { type: Type }
>["payload"];
/** What any log may hold. */
export type AnyDraft = Draft | HouseDraft;

const PAYLOADS: ReadonlyMap<string, z.ZodType> = new Map(
  HouseEvent.options.map((option): [string, z.ZodType] => [
    option.shape.type.value,
    option.shape.payload,
  ]),
);
export const HOUSE_EVENT_TYPES: readonly string[] = [...PAYLOADS.keys()];

/** Why a draft may not be written, or undefined when it may. */
export function houseProblem({ type, payload }: HouseDraft): string | undefined {
  const result = PAYLOADS.get(type)?.safeParse(payload);
  if (!result) return `unknown event type ${type}`;
  return result.success ? undefined : `${type}: ${z.prettifyError(result.error)}`;
}
