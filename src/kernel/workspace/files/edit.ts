// Replaces an exact text in a file. It must occur exactly once unless all occurrences are meant. If the file changes
// between reading and replacing, nothing is written.
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { flag, plainText, record, text } from "../host/call-input.ts";
import { withFileLocked } from "./file-locks.ts";
import type { ToolResult } from "../host/frames.ts";
import { refuseLeftOut } from "../listing/left-out.ts";
import { openRegular, type Location } from "./paths.ts";
import { refuseChanged, replaceFile } from "./replace-file.ts";
import { replaceText, type TextEdit } from "./replace-text.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const MAX_BYTES = 8 << 20;
const BINARY_PROBE = 8_000; // as git does: a NUL early in the file

export async function edit(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const change: TextEdit = {
    oldText: plainText(fields, "old_text"),
    newText: text(fields, "new_text"),
    all: flag(fields, "replace_all"),
  };
  if (change.oldText === change.newText) {
    throw new ToolError("invalid_request", "old_text and new_text are the same");
  }
  call.begin();

  const refuse = refuseLeftOut(fields);
  const place = { workspace: call.workspace, path, parents: "expect", refuse } as const;
  return withFileLocked(place, (location) => editFile(location, change, call));
}

async function editFile(location: Location, change: TextEdit, call: ToolCall): Promise<ToolResult> {
  await using handle = await openRegular(call.workspace, location);
  const before = await handle.stat({ bigint: true });
  const replaced = replaceText(await textOf(handle, before, call), change);
  if (!replaced.ok) throw new ToolError(replaced.code, replaced.message);
  const { content, area, count } = replaced;
  if (content.length > MAX_BYTES) throw tooLarge("The result");
  await replaceFile(location, call, {
    fill: (file) => file.writeFile(content, { signal: call.signal }),
    before,
    verify: () => refuseChanged(location, before),
  });
  return {
    ok: true,
    file: { path: location.path, size: content.length },
    area,
    replaced: count,
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
  };
}

async function textOf(handle: FileHandle, stats: BigIntStats, call: ToolCall): Promise<Buffer> {
  if (stats.size > BigInt(MAX_BYTES)) throw tooLarge("The file");
  const content = Buffer.allocUnsafe(Number(stats.size));
  let length = 0;
  while (length < content.length) {
    if (call.signal.aborted) throw new ToolError("aborted", "The edit was aborted");
    const { bytesRead } = await handle.read(content, length, content.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (content.subarray(0, Math.min(length, BINARY_PROBE)).includes(0)) {
    throw new ToolError("not_text", "This is not a text file");
  }
  return content.subarray(0, length);
}

function tooLarge(what: string): ToolError {
  return new ToolError("too_large", `${what} is larger than 8 MiB`);
}
