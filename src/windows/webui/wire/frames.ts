// Frames of the browser's run stream (run contract), and the bounds on what they carry: browsers
// keep every frame of a run, the whole is in the journal.
import type { RunEvent } from "../../../kernel/events/events.ts";
import type { UnknownEvent } from "../../../kernel/dialect/dialect.ts";
import { truncate } from "../../../kernel/text/truncate.ts";

/** The names its clients know; nothing else closes a card, a spinner or a stream. */
export const WEBUI_EVENTS = [
  "token",
  "reasoning",
  "interim_assistant",
  "tool",
  "tool_update", // ours: what a call prints on the way. Others pass over it
  "tool_complete",
  "approval",
  "clarify",
  "compressing",
  "compressed",
  "title",
  "title_status", // known, never sent: a title is there or it is not
  "warning",
  "apperror",
  "cancel",
  "done",
  "stream_end",
  "metering",
  "context_status",
  "goal",
  "goal_continue",
  "pending_steer_leftover",
  "state_saved",
  "todo_state",
] as const;
export type WebuiEvent = (typeof WEBUI_EVENTS)[number];

export type WebuiFrame = {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly terminal: boolean;
  readonly terminal_state?: string;
};

export function frame(event: WebuiEvent, data: Record<string, unknown>): WebuiFrame {
  return { event, data, terminal: false };
}

/** What no event of the protocol is for. Its clients read only `prefill` of this one. */
export function context(event: RunEvent, detail: Record<string, unknown>): readonly WebuiFrame[] {
  const { session_id, run_id, type: kind } = event;
  return [frame("context_status", { session_id, run_id, kind, detail })];
}

/** A frame's number in its stream. A run's `done` is told in two frames, so the second is one further. */
export function webuiSeq(
  { event }: Pick<WebuiFrame, "event">,
  { session_seq }: Pick<UnknownEvent, "session_seq">,
): number {
  return event === "stream_end" ? session_seq + 1 : session_seq;
}

const MAX_ITEMS = 64;
const DEEPEST = 8;
export const MAX_CHARS = 8_192; // of one string
const MAX_IN_ALL = 65_536;

/** As much of a value as the contract lets a frame carry: 64 items, 8 levels, 8,192 characters a string, 64 KiB. */
export function bounded(value: unknown): unknown {
  return shortened(value, { left: MAX_IN_ALL }, 0);
}

export function boundedObject(value: unknown): Record<string, unknown> {
  const short = bounded(value);
  const isObject = typeof short === "object" && short !== null && !Array.isArray(short);
  return isObject ? (short as Record<string, unknown>) : { value: short };
}

type Room = { left: number };

function shortened(value: unknown, room: Room, depth: number): unknown {
  if (typeof value === "string") {
    const text = cut(value, Math.max(0, Math.min(MAX_CHARS, room.left)));
    room.left -= text.length;
    return text;
  }
  room.left -= 4;
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "…";
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  const kept: [string, unknown][] = [];
  for (const [name, part] of entries) {
    room.left -= Array.isArray(value) ? 1 : name.length;
    if (room.left <= 0) break;
    kept.push([name, shortened(part, room, depth + 1)]);
  }
  return Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept);
}

/** The beginning of a text, never with half a character at its end. */
export function cut(text: string, most: number): string {
  return truncate(text, most, Math.max(0, most - 1));
}
