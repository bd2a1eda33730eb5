// Ids of HUD frames. The document says "random"; ours look like it and are made of the event's hash, so
// that a replay, another server and a restart hand out the same ones and clients can leave out doubles (W7).
import type { EmitOptions, UnknownEvent } from "../../../kernel/dialect/dialect.ts";
import type { HudEvent } from "./events.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";

/** What a handler says; everything else follows from the event it says it about. */
export type HudBody = HudEvent extends infer Frame
  ? Frame extends HudEvent
    ? Omit<Frame, "type" | "id" | "ts" | "replay">
    : never
  : never;

export type AnyEvent = RunEvent | UnknownEvent;

/** A UUID (version 8) of the first or second half of a SHA-256, and of a number. */
export function uuidOf(hash: string, index: number, half: 0 | 1 = 0): string {
  const digits = hash.slice(half * 32, half * 32 + 32);
  const variant = (8 + (Number.parseInt(digits.slice(16, 17), 16) % 4)).toString(16);
  const last = (Number.parseInt(digits.slice(24), 16) + index) % 2 ** 32;
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    `${digits.slice(20, 24)}${last.toString(16).padStart(8, "0")}`,
  ].join("-");
}

/** Of a block of thinking, for as long as it goes on. */
export function thinkId({ hash }: AnyEvent): string {
  return uuidOf(hash, 0, 1);
}

/** Ids of calls are unique within their run, and providers repeat theirs. */
export function callCorrelation(runId: string, callId: string): string {
  return `call_${runId}.${callId}`;
}

export function timeOf({ created_at }: AnyEvent): number {
  return Math.round(created_at * 1000);
}

export function stamped(
  event: AnyEvent,
  { replay }: EmitOptions,
  bodies: readonly HudBody[],
): readonly HudEvent[] {
  return bodies.map((body, index) => stamp(event, body, { index, replay }));
}

function stamp(
  event: AnyEvent,
  { event: kind, ...body }: HudBody,
  { index, replay }: { index: number; replay: boolean },
): HudEvent {
  const id = uuidOf(event.hash, index);
  const marks = { ts: timeOf(event), ...(replay && { replay: true }) };
  return { type: "hud", event: kind, id, ...body, ...marks } as HudEvent;
}
