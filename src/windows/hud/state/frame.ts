// One HUD frame as the reducer reads it: what has the right type, and nothing else. Frames come from any
// server that speaks the document, so nothing about them is believed.
import type { HudEventKind, HudRecord } from "../wire/events.ts";
import { own } from "../../../kernel/events/own.ts";

export type PairedType = "turn" | "tool" | "think";
type Kind =
  | { readonly type: PairedType; readonly phase: "start" | "end" }
  | { readonly type: "received"; readonly phase: "instant" };

export type ReadFrame = Kind & {
  readonly event: HudEventKind;
  readonly id: string;
  readonly ts: number;
  readonly replay: boolean;
  readonly correlationId?: string;
  readonly parentId?: string;
  readonly tool?: string;
  readonly label?: string;
  readonly subtype?: string;
  readonly durationMs?: number;
  readonly args?: HudRecord;
  readonly argsTruncated?: true;
  readonly argsFull?: HudRecord;
  readonly result?: HudRecord;
  readonly payload?: HudRecord;
};
export type PairedFrame = Extract<ReadFrame, { readonly type: PairedType }>;

const KINDS: Readonly<Record<HudEventKind, Kind>> = {
  turn_start: { type: "turn", phase: "start" },
  turn_end: { type: "turn", phase: "end" },
  tool_start: { type: "tool", phase: "start" },
  tool_end: { type: "tool", phase: "end" },
  think_start: { type: "think", phase: "start" },
  think_end: { type: "think", phase: "end" },
  received: { type: "received", phase: "instant" },
};
const TEXTS = ["correlationId", "parentId", "tool", "label", "subtype"] as const;
const RECORDS = ["args", "argsFull", "result", "payload"] as const;
const THOUGHT = ["text", "bytes", "truncated", "superseded", "full"] as const;

/** Undefined for everything that is no HUD frame: pongs, errors, kinds of a later version. */
export function readFrame(value: unknown): ReadFrame | undefined {
  if (!isRecord(value) || value["type"] !== "hud") return undefined;
  const { event, id, ts, durationMs } = value;
  if (typeof event !== "string" || !Object.hasOwn(KINDS, event)) return undefined;
  if (typeof id !== "string" || !isTime(ts)) return undefined;
  const kind = event as HudEventKind;
  const records = pick(value, RECORDS, isRecord);
  const thought = kind === "think_end" ? pick(value, THOUGHT, isAnything) : {};
  return {
    ...KINDS[kind],
    event: kind,
    id,
    ts,
    replay: value["replay"] === true,
    ...pick(value, TEXTS, isText),
    ...records,
    ...(value["argsTruncated"] === true && { argsTruncated: true }),
    ...(isTime(durationMs) && { durationMs }),
    ...(Object.keys(thought).length > 0 && { result: { ...thought, ...records["result"] } }),
  };
}

function pick<Name extends string, Value>(
  from: HudRecord,
  names: readonly Name[],
  fits: (value: unknown) => value is Value,
): { [Key in Name]?: Value } {
  const found: { [Key in Name]?: Value } = {};
  for (const name of names) {
    const value = own(from, name);
    if (value !== undefined && fits(value)) found[name] = value;
  }
  return found;
}

const isAnything = (value: unknown): value is unknown => value !== undefined;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export function isRecord(value: unknown): value is HudRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
