// Replaces a file's content as a whole: a reader, or a crash at any moment, sees the old content or
// the new, never half. `check` answers after a crash whether the write took place, without writing.
import { createHash, randomUUID } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { plainText, record, text } from "./call-input.ts";
import { countLines } from "./count-lines.ts";
import type { ToolResult } from "./frames.ts";
import { locate, openRegular, refuseIrregular, type Location } from "./paths.ts";
import type { ToolCall } from "./tool-call.ts";
import { ToolError, toToolError } from "./tool-error.ts";

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

  await using location = await locate(call.workspace, path, "create");
  if (location.stats) refuseIrregular(location.stats, location.path);
  await replace(location, bytes, call);
  return {
    ok: true,
    file: { path: location.path, size: bytes.length },
    area: { startLine: 1, endLine: countLines(content) },
    bytes: bytes.length,
    created: location.stats === undefined,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

async function replace(location: Location, bytes: Buffer, call: ToolCall): Promise<void> {
  const temporary = location.addressOf(`.quarterdeck-${randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  try {
    {
      await using handle = await open(temporary, flags, location.stats ? 0o600 : 0o666);
      await handle.writeFile(bytes, { signal: call.signal });
      if (location.stats) await keepOwnerAndMode(handle, location.stats);
      await handle.sync();
    }
    call.begin();
    await rename(temporary, location.addressOf(location.name));
  } catch (error) {
    await rm(temporary, { force: true });
    if (call.signal.aborted) throw new ToolError("aborted", "The write was aborted");
    throw error;
  }
  await location.directory.sync().catch(() => undefined); // some file systems cannot; the data is synced
}

async function keepOwnerAndMode(handle: FileHandle, before: BigIntStats): Promise<void> {
  const mine = await handle.stat({ bigint: true });
  if (mine.uid !== before.uid || mine.gid !== before.gid) {
    // Only root may give a file away; for everyone else the new content becomes theirs.
    await handle.chown(Number(before.uid), Number(before.gid)).catch(() => undefined);
  }
  await handle.chmod(Number(before.mode) & 0o777);
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
