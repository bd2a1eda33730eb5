// Turns attached files into what a model can read: text goes into the prompt; pictures, PDFs and sound are passed as
// they are if the model accepts them, and otherwise described in a line. The content decides, not the name. The
// newest files come first, because a request is bounded.
import type { BlobStore } from "../../blobs/blobs.ts";
import { isAudioType } from "../../events/audio-type.ts";
import type { Attachment } from "../../events/catalogue/lifecycle.ts";
import { isImageType, mediaTypeOf, SNIFF_BYTES, type MediaType } from "../../events/media-type.ts";
import { visibleLine } from "../../text/visible-text.ts";
import type { AttachedFile, FileKind, Model, ModelMessage } from "../models/model.ts";

/** A message as it was said: its files are only named. */
export type Said =
  | ModelMessage
  | { role: "user"; text: string; attachments: readonly Attachment[] }
  | (Extract<ModelMessage, { role: "tool" }> & { attachments: readonly Attachment[] });

export type FileReading = {
  readonly blobs: Pick<BlobStore, "size" | "read">;
  readonly redact?: ((text: string) => string) | undefined;
  readonly model?: Pick<Model, "reads" | "contextWindow"> | undefined;
};

const MAX_TEXT = 65_536; // characters of one file
const MAX_ALL_TEXT = 400_000; // characters of all files of a request
const WINDOW_SHARE = 1.5; // characters for each token of the window: about half of it
const MAX_BYTES: Record<FileKind, number> = {
  image: 5_000_000,
  pdf: 15_000_000,
  audio: 15_000_000,
};
const HEARD: readonly string[] = ["audio/wav", "audio/mpeg"]; // what every model takes that takes sound
const MAX_ALL_BYTES = 24_000_000;
const UTF8_MAX = 4; // bytes of one character

type Room = { chars: number; bytes: number };

export async function withFiles(
  said: readonly Said[],
  reading: FileReading,
): Promise<ModelMessage[]> {
  const window = reading.model?.contextWindow ?? Infinity;
  const room: Room = { chars: Math.min(MAX_ALL_TEXT, window * WINDOW_SHARE), bytes: MAX_ALL_BYTES };
  const messages: ModelMessage[] = [];
  for (const message of said.toReversed()) {
    if (!("attachments" in message)) messages.push(message);
    else {
      const attached: AttachedFile[] = [];
      for (const item of message.attachments) attached.push(await attach(item, reading, room));
      const { attachments: _named, ...rest } = message;
      messages.push({ ...rest, attached });
    }
  }
  return messages.toReversed();
}

type Found = { readonly item: Attachment; readonly sha256: string; readonly size: number };

async function attach(item: Attachment, reading: FileReading, room: Room): Promise<AttachedFile> {
  const { sha256 } = item;
  if (sha256 === undefined) return line(item, "it was not uploaded here, only named");
  const size = await reading.blobs.size(sha256);
  if (size === undefined) return line(item, "its content is no longer here");
  const found = { item, sha256, size };
  try {
    const start = await bytesOf(reading.blobs, sha256, Math.min(size, SNIFF_BYTES));
    const type = mediaTypeOf(start, { whole: size <= SNIFF_BYTES });
    if (type === "text/plain") return await inlined(found, reading, room);
    return await asFile(found, type, { reading, room });
  } catch {
    return line(item, "its content could not be read"); // a file must never end a run
  }
}

/** Between marks with the content's own hash, which no content can hold: nothing in it passes for the person's words. */
async function inlined({ item, sha256, size }: Found, reading: FileReading, room: Room) {
  const limit = Math.min(MAX_TEXT, room.chars);
  if (limit < 1 && size > 0) return line(item, "left out: too much text for one request");
  const bytes = await bytesOf(reading.blobs, sha256, Math.min(size, limit * UTF8_MAX));
  const decoded = new TextDecoder().decode(bytes);
  const text = (reading.redact?.(decoded) ?? decoded).slice(0, limit).toWellFormed();
  room.chars -= text.length;
  const left = size - Buffer.byteLength(text);
  const cut = bytes.length < size || text.length < decoded.length;
  const mark = sha256.slice(0, 16);
  return {
    text: [
      `[attached file ${emitted(item, "text/plain", size)}, begins: ${mark}]`,
      text,
      ...(cut ? [`[… ${Math.max(1, left)} bytes more are left out]`] : []),
      `[attached file ends: ${mark}]`,
    ].join("\n"),
  };
}

type Place = { readonly reading: FileReading; readonly room: Room };

async function asFile(
  { item, sha256, size }: Found,
  type: MediaType,
  { reading, room }: Place,
): Promise<AttachedFile> {
  const kind = kindOf(type);
  const known = { ...item, media_type: type, bytes: size };
  if (!kind || !reading.model?.reads?.includes(kind)) {
    return line(known, kind === "audio" ? "this model cannot hear it" : CANNOT);
  }
  if (kind === "audio" && !HEARD.includes(type)) {
    return line(known, "this model does not take sound of this kind");
  }
  if (size > MAX_BYTES[kind]) return line(known, "left out: too large for a model");
  if (size > room.bytes) return line(known, "left out: too much for one request");
  const data = await bytesOf(reading.blobs, sha256, size);
  room.bytes -= size;
  return {
    text: `[attached: ${emitted(item, type, size)}]`,
    file: { name: nameOf(item), mediaType: type, data },
  };
}

const CANNOT = "this model cannot read it";

function kindOf(type: MediaType): FileKind | undefined {
  if (isImageType(type)) return "image";
  if (isAudioType(type)) return "audio";
  return type === "application/pdf" ? "pdf" : undefined;
}

function line(item: Attachment, why: string): AttachedFile {
  return { text: `[attached: ${emitted(item, item.media_type, item.bytes)}: ${why}]` };
}

function emitted(item: Attachment, type: string, size: number | undefined): string {
  const about = [nameOf(item), visibleLine(type).slice(0, 100), size !== undefined && sized(size)];
  return about.filter(Boolean).join(", ");
}

function nameOf({ name }: Attachment): string {
  return visibleLine(name).slice(0, 200) || "unnamed";
}

function sized(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function bytesOf(
  blobs: FileReading["blobs"],
  sha256: string,
  count: number,
): Promise<Uint8Array> {
  if (count === 0) return new Uint8Array();
  const chunks: Buffer[] = [];
  for await (const chunk of blobs.read(sha256, { start: 0, end: Math.floor(count) - 1 })) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
