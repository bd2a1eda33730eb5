// The SHA-256 of an open file, in chunks: memory does not depend on its size.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { ToolError } from "../host/tool-error.ts";

const CHUNK_BYTES = 64 * 1024;

export type Hashed = { readonly sha256: string; readonly bytes: number };

/** `onChunk` must have used the chunk when its promise settles: the buffer is read into again. */
export async function hashFile(
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
