// Appends text to a file, or creates it. The old content is copied in chunks into a new file that then replaces the
// old one: a crash never leaves half of the text, at any file size.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { plainText, record, text } from "../host/call-input.ts";
import { withFileLocked } from "./file-locks.ts";
import type { ToolResult } from "../host/frames.ts";
import { refuseLeftOut } from "../listing/left-out.ts";
import { openRegular, type Location } from "./paths.ts";
import { refuseChanged, replaceFile } from "./replace-file.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const MAX_TEXT = 8 << 20;
const MAX_FILE = 64 << 20;
const CHUNK_BYTES = 64 * 1024;

export async function append(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const added = Buffer.from(text(fields, "content"));
  if (added.length > MAX_TEXT) throw new ToolError("too_large", "content is larger than 8 MiB");
  if (path.endsWith("/")) throw new ToolError("is_directory", `${path} names a directory`);
  call.begin();

  const refuse = refuseLeftOut(fields);
  const place = { workspace: call.workspace, path, parents: "create", refuse } as const;
  return withFileLocked(place, (location) => appendTo(location, added, call));
}

async function appendTo(location: Location, added: Buffer, call: ToolCall): Promise<ToolResult> {
  await using source = location.stats && (await openRegular(call.workspace, location));
  const before = await source?.stat({ bigint: true });
  if (before && Number(before.size) + added.length > MAX_FILE) {
    throw new ToolError("too_large", "The file is larger than 64 MiB");
  }
  const lines = lineCounter();
  const hash = createHash("sha256");
  let oldLines = 0;
  await replaceFile(location, call, {
    before,
    fill: async (file) => {
      if (source) await copy(source, call, (chunk) => take(file, chunk));
      oldLines = lines.count();
      await take(file, added);
    },
    verify: () => refuseChanged(location, before),
  });

  async function take(file: FileHandle, chunk: Buffer): Promise<void> {
    lines.add(chunk);
    hash.update(chunk);
    for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
  }

  const endLine = lines.count();
  return {
    ok: true,
    file: { path: location.path, size: lines.bytes() },
    area: { startLine: Math.min(oldLines + 1, Math.max(endLine, 1)), endLine },
    bytes: added.length,
    created: before === undefined,
    sha256: hash.digest("hex"),
  };
}

async function copy(
  source: FileHandle,
  { signal }: ToolCall,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    if (signal.aborted) throw new ToolError("aborted", "The write was aborted");
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    if (position + bytesRead > MAX_FILE) throw new ToolError("too_large", "The file is growing");
    await take(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/** Counts as countLines does, chunk by chunk. */
function lineCounter() {
  let newlines = 0;
  let bytes = 0;
  let last = 10;
  return {
    add(chunk: Buffer): void {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) newlines += 1;
      last = chunk.at(-1) ?? last;
      bytes += chunk.length;
    },
    count: () => newlines + (last === 10 ? 0 : 1),
    bytes: () => bytes,
  };
}
