// Replaces the content of a file atomically. `check` says after a crash whether the write took place, without
// writing.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { plainText, record, text } from "../host/call-input.ts";
import { countLines } from "./count-lines.ts";
import { withFileLocked } from "./file-locks.ts";
import type { ToolResult } from "../host/frames.ts";
import { refuseLeftOut } from "../listing/left-out.ts";
import { locate, openRegular } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError, toToolError } from "../host/tool-error.ts";

const MAX_BYTES = 8 << 20;
const CHUNK_BYTES = 64 * 1024;

export async function write(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const content = text(fields, "content");
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_BYTES) throw new ToolError("too_large", "content is larger than 8 MiB");
  if (fields["check"] === true) return { ok: true, matches: await matches(path, bytes, call) };
  if (path.endsWith("/")) throw new ToolError("is_directory", `${path} names a directory`);
  call.begin();

  const refuse = refuseLeftOut(fields);
  const place = { workspace: call.workspace, path, parents: "create", refuse } as const;
  return withFileLocked(place, async (location) => {
    const before = location.stats;
    // What cannot be read was not kept either: replacing it would have no way back (T1).
    if (before) await (await openRegular(call.workspace, location)).close();
    const fill = (handle: FileHandle) => handle.writeFile(bytes, { signal: call.signal });
    await replaceFile(location, call, { fill, before });
    return {
      ok: true,
      file: { path: location.path, size: bytes.length },
      area: { startLine: 1, endLine: countLines(content) },
      bytes: bytes.length,
      created: before === undefined,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
  });
}

async function matches(path: string, expected: Buffer, call: ToolCall): Promise<boolean> {
  try {
    await using location = await locate(call.workspace, path, "expect");
    await using handle = await openRegular(call.workspace, location);
    return await sameContent(handle, expected);
  } catch (error) {
    if (toToolError(error).code === "not_found") return false;
    throw error;
  }
}

async function sameContent(handle: FileHandle, expected: Buffer): Promise<boolean> {
  if ((await handle.stat()).size !== expected.length) return false;
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return position === expected.length;
    const part = expected.subarray(position, position + bytesRead);
    if (!buffer.subarray(0, bytesRead).equals(part)) return false;
    position += bytesRead;
  }
}
