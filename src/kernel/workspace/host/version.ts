// Hashes the present content of files, for checkpoints. With `content` the bytes of one file are streamed from the
// same read that is hashed, so the hash is of exactly what was sent.
import { normalize } from "node:path";
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { flag, list, plainText, record } from "./call-input.ts";
import type { ToolResult } from "./frames.ts";
import { locate, NothingThere, openRegular } from "../files/paths.ts";
import type { ToolCall } from "./tool-call.ts";
import { ToolError, toToolError, type ToolErrorCode } from "./tool-error.ts";

/** So that the answer fits into a frame whatever the paths are. */
export const MAX_VERSIONS = 50;
const MAX_CONTENT = 64 << 20;
/** Nothing that could be checkpointed has this name; the tool that wants to change it will say why. */
const PROBLEMS = new Set<ToolErrorCode>([
  "is_directory",
  "not_regular",
  "outside_workspace",
  "protected",
]);

export type HostVersion = {
  readonly sha256: string;
  readonly bytes: number;
  readonly mode: number;
};
/** `path`: relative to the workspace, with links resolved. */
export type Versioned = {
  readonly path: string;
  readonly version: HostVersion | null;
  readonly problem?: ToolErrorCode;
};

export async function version(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const content = flag(fields, "content");
  const paths = list(fields, "paths", content ? 1 : MAX_VERSIONS).map((path) =>
    plainText({ path }, "path"),
  );
  call.begin();
  const versions: Versioned[] = [];
  for (const path of paths)
    versions.push(await versionOf(path, call, content ? sender(call) : undefined));
  return { ok: true, versions };
}

export async function versionOf(
  path: string,
  call: ToolCall,
  send?: (chunk: Buffer) => Promise<void>,
): Promise<Versioned> {
  try {
    await using location = await locate(call.workspace, path, "expect");
    if (!location.stats) return { path: location.path, version: null };
    await using handle = await openRegular(call.workspace, location);
    const stats = await handle.stat();
    if (send && stats.size > MAX_CONTENT) {
      throw new ToolError("too_large", `${path} is larger than 64 MiB and cannot be kept`);
    }
    const hashed = await hashFile(handle, call.signal, send);
    return { path: location.path, version: { ...hashed, mode: stats.mode & 0o777 } };
  } catch (error) {
    const { code } = toToolError(error);
    // One name per file, also before it is there: else its first change is of another file than the next.
    if (error instanceof NothingThere) return { path: error.path, version: null };
    if (code === "not_found") return { path: normalize(path), version: null };
    if (PROBLEMS.has(code)) return { path: normalize(path), version: null, problem: code };
    throw error;
  }
}

/** What a plan remembers of a file that a command executes. */
export function contentOf(file: {
  readonly version: { readonly sha256: string } | null;
  readonly problem?: string;
}): string {
  const { version: found, problem } = file;
  if (found) return found.sha256;
  if (problem === undefined) return "absent";
  return problem === "is_directory" ? "folder" : "outside";
}

function sender(call: ToolCall): (chunk: Buffer) => Promise<void> {
  let sent = 0;
  return async (chunk) => {
    sent += chunk.length;
    if (sent > MAX_CONTENT) throw new ToolError("too_large", "The file is growing");
    await call.output("stdout", chunk);
  };
}

// The SHA-256 of an open file, in chunks: memory does not depend on its size.
const CHUNK_BYTES = 64 * 1024;

type Hashed = { readonly sha256: string; readonly bytes: number };

/** `onChunk` must have used the chunk when its promise settles: the buffer is read into again. */
async function hashFile(
  handle: FileHandle,
  signal: AbortSignal,
  onChunk?: (chunk: Buffer) => Promise<void>,
): Promise<Hashed> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    if (signal.aborted) throw new ToolError("aborted", "The read was aborted");
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return { sha256: hash.digest("hex"), bytes: position };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await onChunk?.(chunk);
    position += bytesRead;
  }
}
