// Reads a page of lines. It streams: memory is one chunk and one page, whatever the size of the file or of a line.
import type { FileHandle } from "node:fs/promises";
import { number, plainText, record } from "../host/call-input.ts";
import { countLines } from "./count-lines.ts";
import type { ToolResult } from "../host/frames.ts";
import { refuseLeftOut } from "../listing/left-out.ts";
import { locate, openRegular } from "./paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const PAGE_BYTES = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;
const BINARY_PROBE = 8_000; // as git does: a NUL early in the file

type Page = { offset: number; limit: number };
type Found = { bytes: Buffer; binary: boolean; truncated: boolean };

export async function read(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const whole = { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true };
  const offset = number(fields, "offset", { ...whole, fallback: 1 });
  const limit = number(fields, "limit", { ...whole, fallback: 500 });
  call.begin();

  await using location = await locate(call.workspace, path, "expect");
  refuseLeftOut(fields)(location.path);
  await using handle = await openRegular(call.workspace, location);
  const { size } = await handle.stat();
  const found = await findPage(handle, { offset, limit }, call.signal);
  const { text, cut } = decode(found);
  return {
    ok: true,
    file: { path: location.path, size },
    area: { startLine: offset, endLine: offset - 1 + countLines(text) },
    text,
    bytes: Buffer.byteLength(text),
    truncated: found.truncated || cut,
    ...(found.binary && { binary: true }),
  };
}

async function findPage(handle: FileHandle, page: Page, signal: AbortSignal): Promise<Found> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const parts: Buffer[] = [];
  let room = PAGE_BYTES;
  let line = 1;
  for (let position = 0; ;) {
    if (signal.aborted) throw new ToolError("aborted", "The read was aborted");
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    const chunk = buffer.subarray(0, bytesRead);
    const probe = position === 0 ? chunk.subarray(0, BINARY_PROBE) : chunk.subarray(0, 0);
    if (probe.includes(0)) return { bytes: Buffer.alloc(0), binary: true, truncated: false };
    position += bytesRead;

    let at = 0;
    while (at < bytesRead && line < page.offset + page.limit && room > 0) {
      const newline = chunk.indexOf(10, at);
      const end = newline < 0 ? bytesRead : newline + 1;
      if (line >= page.offset) {
        const part = chunk.subarray(at, Math.min(end, at + room));
        parts.push(Buffer.from(part));
        room -= part.length;
        at += part.length;
      } else {
        at = end;
      }
      if (newline >= 0 && at === end) line += 1;
    }
    const bytes = () => Buffer.concat(parts);
    if (bytesRead === 0) return { bytes: bytes(), binary: false, truncated: false };
    if (at < bytesRead) return { bytes: bytes(), binary: false, truncated: true };
  }
}

function decode({ bytes, truncated }: Found): { text: string; cut: boolean } {
  // stream: a character cut in half by the end of the page is left out, not shown as a replacement.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(bytes, { stream: truncated });
  if (Buffer.byteLength(text) <= PAGE_BYTES) return { text, cut: false };
  // Bytes that are not UTF-8 grow threefold when replaced; the bound holds for what is sent.
  const { read: characters } = new TextEncoder().encodeInto(text, new Uint8Array(PAGE_BYTES));
  return { text: text.slice(0, characters), cut: true };
}
