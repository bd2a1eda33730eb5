// Bounds on what a frame carries: a preview of a message, a page of a text, as much of a JSON value as
// fits. Frames are shown and kept by browsers; the whole is in the journal.

import { preview as oneLine } from "../../../kernel/dialect/preview.ts";
import { utf8Bytes } from "../../../kernel/text/truncate.ts";

export const FRAME_TEXT = 16_384; // bytes of text in one frame
const PREVIEW = 80; // characters of a message
const DEEPEST = 32;

export type Cut = { readonly text: string; readonly cut: boolean };

/** The beginning of a text, in at most `limit` bytes. Never half a character. */
export function firstBytes(text: string, limit = FRAME_TEXT): Cut {
  if (text.length <= limit && utf8Bytes(text) <= limit) return { text, cut: false };
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return { text: text.slice(0, end), cut: true };
}

/** The end of a text, in at most `limit` bytes. */
export function lastBytes(text: string, limit: number): string {
  // No more characters than bytes: what may fit is in here.
  const near = text.slice(-limit).replace(/^[\udc00-\udfff]/, "");
  let over = utf8Bytes(near) - limit;
  let from = 0;
  for (const character of near) {
    if (over <= 0) break;
    over -= utf8Bytes(character);
    from += character.length;
  }
  return near.slice(from);
}

/** One line of it, for a label: at most `limit` characters. */
export function preview(text: string, limit = PREVIEW): string {
  return oneLine(text, limit);
}

export type CutValue = { readonly value: unknown; readonly cut: boolean };

/** As much of a JSON value as fits, in its own order: what matters has to stand first. */
export function firstOf(value: unknown, limit = FRAME_TEXT): CutValue {
  const room = { left: limit, cut: false };
  return { value: fitting(value, room, 0), cut: room.cut };
}

type Room = { left: number; cut: boolean };

function fitting(value: unknown, room: Room, depth: number): unknown {
  room.left -= 4; // quotes, commas: a million empty texts are not nothing
  if (typeof value === "string") {
    const { text, cut } = firstBytes(value, Math.max(0, room.left));
    room.left -= utf8Bytes(text);
    room.cut ||= cut;
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) {
    room.cut = true;
    return "[…]";
  }
  return Array.isArray(value)
    ? fittingParts(value, room, depth)
    : fittingEntries(value, room, depth);
}

function fittingParts(value: readonly unknown[], room: Room, depth: number): unknown[] {
  const parts: unknown[] = [];
  for (const part of value) {
    if (!hasRoom(room)) break;
    parts.push(fitting(part, room, depth + 1));
  }
  return parts;
}

function fittingEntries(value: object, room: Room, depth: number): unknown {
  const entries: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) {
    room.left -= utf8Bytes(name);
    if (!hasRoom(room)) break;
    entries.push([name, fitting(part, room, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

function hasRoom(room: Room): boolean {
  if (room.left > 0) return true;
  room.cut = true;
  return false;
}
