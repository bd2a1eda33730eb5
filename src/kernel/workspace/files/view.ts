// Some lines of a file for a person, and the number of all lines. It streams: memory is one chunk and one page,
// whatever the size of the file or of a line.
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { number, plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { locate, openRegular } from "./paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

export const PAGE_BYTES = 128 * 1024; // escaped at worst six times over it fits a frame's line
export const LINE_BYTES = 8 * 1024;
export const MAX_LINES = 2_000;
const CHUNK_BYTES = 256 * 1024;
const COUNTED_BYTES = 64 << 20; // of larger files the number of lines is not known
const REACHED_BYTES = 1 << 30; // no page is looked for beyond
const BINARY_PROBE = 8_000; // as git does: a NUL early in the file
const NEWLINE = 10;

type Wanted = { readonly from: number; readonly lines: number };
type Page = { readonly lines: string[]; readonly cut: number[]; readonly total: number | null };

export async function view(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const any = { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true };
  const first_line = number(fields, "first_line", { ...any, fallback: 1 });
  const lines = number(fields, "lines", { ...any, fallback: 500, max: MAX_LINES });
  call.begin();

  await using location = await locate(call.workspace, path, "expect");
  await using handle = await openRegular(call.workspace, location);
  const stats = await handle.stat({ bigint: true });
  const found = { path: location.path, bytes: Number(stats.size), first_line, ...stamp(stats) };
  if (await isBinary(handle)) {
    return { ...found, binary: true, lines: 0, total_lines: null, text: "", cut_lines: [] };
  }
  const page = await readPage(handle, { from: first_line, lines }, call.signal);
  return {
    ...found,
    binary: false,
    lines: page.lines.length,
    total_lines: page.total,
    text: page.lines.join("\n"),
    cut_lines: page.cut,
  };
}

function stamp({ mtimeNs, mtimeMs, size, ino, ctimeNs }: BigIntStats) {
  const version = [mtimeNs, ctimeNs, size, ino].map((part) => part.toString(36)).join("-");
  return { modified_at: Number(mtimeMs) / 1_000, version };
}

async function isBinary(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(BINARY_PROBE), 0, BINARY_PROBE, 0);
  return buffer.subarray(0, bytesRead).includes(0);
}

async function readPage(handle: FileHandle, wanted: Wanted, signal: AbortSignal): Promise<Page> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const page = pageOf(wanted);
  for (let position = 0; ;) {
    if (signal.aborted) throw new ToolError("aborted", "The read was aborted");
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return page.finish();
    page.take(buffer.subarray(0, bytesRead));
    position += bytesRead;
    if (page.isFull() && position >= COUNTED_BYTES) return page.giveUp();
    if (position >= REACHED_BYTES) {
      throw new ToolError("too_large", `Line ${wanted.from} is too far into a very large file`);
    }
  }
}

/** Lines are collected while they are wanted and fit, and counted all the same. */
function pageOf({ from, lines: most }: Wanted) {
  const lines: string[] = [];
  const cut: number[] = [];
  let line = 1;
  let room = PAGE_BYTES;
  let parts: Buffer[] = [];
  let size = 0; // of the line so far, all of it
  let full = false;

  function add(part: Buffer): void {
    if (line >= from && !full && size < LINE_BYTES) {
      parts.push(Buffer.from(part.subarray(0, LINE_BYTES - size)));
    }
    size += part.length;
  }
  function end(): void {
    if (line >= from && !full) {
      const text = decode(Buffer.concat(parts), size > LINE_BYTES);
      room -= Buffer.byteLength(text) + 1;
      if (room < 0 && lines.length > 0) full = true;
      else {
        if (size > LINE_BYTES) cut.push(line);
        lines.push(text);
        full = lines.length >= most;
      }
    }
    line += 1;
    parts = [];
    size = 0;
  }
  return {
    isFull: () => full,
    take(chunk: Buffer) {
      let at = 0;
      for (let next = chunk.indexOf(NEWLINE); next >= 0; next = chunk.indexOf(NEWLINE, at)) {
        add(chunk.subarray(at, next));
        end();
        at = next + 1;
      }
      add(chunk.subarray(at));
    },
    finish(): Page {
      if (size > 0) end();
      return { lines, cut, total: line - 1 };
    },
    giveUp: (): Page => ({ lines, cut, total: null }),
  };
}

function decode(bytes: Buffer, isCut: boolean): string {
  // stream: a character cut in half at the bound is left out, not shown as a replacement.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isCut });
  return text.endsWith("\r") && !isCut ? text.slice(0, -1) : text;
}
