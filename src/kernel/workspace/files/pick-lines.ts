// Reads some lines of an open file by number. It streams: memory is one chunk and the beginning of the requested
// lines.
import type { FileHandle } from "node:fs/promises";
import { ToolError } from "../host/tool-error.ts";

const CHUNK_BYTES = 64 * 1024;

export async function pickLines(
  handle: FileHandle,
  numbers: readonly number[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(numbers);
  const last = Math.max(0, ...numbers);
  const picked = new Map<number, string>();
  await eachLine(handle, { maxBytes, signal }, (text, line) => {
    if (wanted.has(line)) picked.set(line, text);
    return line < last;
  });
  return picked;
}

/** Every line, at most `maxBytes` of each, until `take` answers false. */
export async function eachLine(
  handle: FileHandle,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  take: (text: string, line: number) => boolean,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let kept: Buffer[] = [];
  let room = maxBytes;
  let line = 1;
  const keep = (part: Buffer) => {
    if (room > 0 && part.length > 0) kept.push(Buffer.from(part.subarray(0, room)));
    room -= part.length;
  };
  const finish = () => {
    const text = decode(Buffer.concat(kept), room < 0);
    kept = [];
    room = maxBytes;
    return take(text, line++);
  };
  for (let position = 0; ;) {
    if (signal.aborted) throw new ToolError("aborted", "The search was aborted");
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) {
      if (room < maxBytes) finish();
      return;
    }
    const chunk = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, end));
      from = end + 1;
      if (!finish()) return;
    }
    keep(chunk.subarray(from));
    position += bytesRead;
  }
}

function decode(bytes: Buffer, cut: boolean): string {
  // stream: a character cut in half at the bound is left out, not shown as a replacement.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: cut });
  return (text.endsWith("\r") ? text.slice(0, -1) : text) + (cut ? "…" : "");
}
