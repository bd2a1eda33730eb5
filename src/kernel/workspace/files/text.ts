// The whole text of a file, for a person who wants to change it: exactly its bytes, or a refusal. What is
// not text as it stands would be lost by editing it.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { locate, openRegular } from "./paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

export const MAX_TEXT = 1 << 20;
const CHUNK_BYTES = 64 * 1024;

/** The text itself is streamed as output: escaped it would not fit into a frame. */
export async function wholeText(input: unknown, call: ToolCall): Promise<ToolResult> {
  const path = plainText(record(input), "path");
  call.begin();
  await using location = await locate(call.workspace, path, "expect");
  await using handle = await openRegular(call.workspace, location);
  const bytes = await readBounded(handle, location.path);
  if (bytes.includes(0) || !isUtf8(bytes)) {
    throw new ToolError("not_text", `${location.path} is not text and cannot be edited here`);
  }
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    await call.output("stdout", bytes.subarray(at, at + CHUNK_BYTES));
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { path: location.path, bytes: bytes.length, sha256 };
}

async function readBounded(handle: Awaited<ReturnType<typeof openRegular>>, path: string) {
  const buffer = Buffer.alloc(MAX_TEXT + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length > MAX_TEXT) {
      throw new ToolError("too_large", `${path} is larger than 1 MiB and cannot be edited here`);
    }
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}
