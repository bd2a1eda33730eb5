// The table of file operations, by name.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { append } from "./append.ts";
import { browse } from "../listing/browse.ts";
import { edit } from "./edit.ts";
import type { FileToolName } from "./file-tool-names.ts";
import { find } from "../listing/find.ts";
import { git } from "../git/git.ts";
import { guard } from "../sandbox/guard.ts";
import { listFiles } from "../listing/list.ts";
import { read } from "./read.ts";
import { restore } from "./restore.ts";
import { searchFiles } from "../listing/search.ts";
import type { Tool, ToolCall } from "../host/tool-call.ts";
import { tree } from "../listing/tree.ts";
import { unpack } from "../archive/unpack.ts";
import { version } from "../host/version.ts";
import { view } from "./view.ts";
import { write } from "./write.ts";
import { plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { locate, openRegular } from "./paths.ts";
import { ToolError } from "../host/tool-error.ts";

export const FILE_TOOLS: Record<FileToolName, Tool> = {
  read,
  write,
  edit,
  append,
  search_files: searchFiles,
  list_files: listFiles,
  version,
  tree,
  restore,
  guard,
  browse,
  view,
  find,
  text: wholeText,
  git,
  unpack,
};

// The whole text of a file, for a person who wants to change it: exactly its bytes, or a refusal. What is
// not text as it stands would be lost by editing it.
const MAX_TEXT = 1 << 20;
const CHUNK_BYTES = 64 * 1024;

/** The text itself is streamed as output: escaped it would not fit into a frame. */
async function wholeText(input: unknown, call: ToolCall): Promise<ToolResult> {
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
