// What a file is, by its first bytes: never by its name and never by what its sender says. Pure, so that
// the server, the runner and a page agree.
import { audioTypeOf, type AudioType } from "./audio-type.ts";

export const SNIFF_BYTES = 4_096; // that many are enough to tell

export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];
export type MediaType =
  | ImageType
  | AudioType
  | "application/pdf"
  | "text/plain"
  | "application/octet-stream";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];

/** `start` holds the first bytes; `whole` when there are no more: a cut character is then an error. */
export function mediaTypeOf(start: Uint8Array, { whole }: { whole: boolean }): MediaType {
  if (hasAt(start, 0, PNG)) return "image/png";
  if (hasAt(start, 0, JPEG)) return "image/jpeg";
  if (hasWordAt(start, 0, "GIF87a") || hasWordAt(start, 0, "GIF89a")) return "image/gif";
  if (hasWordAt(start, 0, "RIFF") && hasWordAt(start, 8, "WEBP")) return "image/webp";
  if (hasWordAt(start, 0, "%PDF-")) return "application/pdf";
  return audioTypeOf(start) ?? (isText(start, whole) ? "text/plain" : "application/octet-stream");
}

export function isImageType(type: string): type is ImageType {
  return (IMAGE_TYPES as readonly string[]).includes(type);
}

function hasAt(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[at + index] === byte);
}

function hasWordAt(bytes: Uint8Array, at: number, word: string): boolean {
  return hasAt(
    bytes,
    at,
    Array.from(word, (letter) => letter.charCodeAt(0)),
  );
}

/** UTF-8 without control characters that no text has. */
function isText(bytes: Uint8Array, whole: boolean): boolean {
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x20 && !isSpacing(lead)) return false;
    const length = sequenceLength(lead);
    if (length === 0) return false;
    for (let next = 1; next < length; next += 1) {
      const byte = bytes[at + next];
      if (byte === undefined) return !whole;
      if (!isContinuation(lead, byte, next)) return false;
    }
    at += length;
  }
  return true;
}

/** Tab, line feed, form feed, carriage return, and the escape of coloured logs. */
function isSpacing(byte: number): boolean {
  return byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d || byte === 0x1b;
}

function sequenceLength(lead: number): 0 | 1 | 2 | 3 | 4 {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/** Overlong forms, surrogates and numbers beyond Unicode are no UTF-8. */
function isContinuation(lead: number, byte: number, place: number): boolean {
  if (byte < 0x80 || byte > 0xbf) return false;
  if (place > 1) return true;
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90;
  return lead !== 0xf4 || byte <= 0x8f;
}
