// What is in a directory, some levels deep. Bounded: what does not fit is left out and said so.
import { join } from "node:path";
import { flag, number, plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { leftOut } from "./left-out.ts";
import { openFolder } from "../files/paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { SKIPPED, walk, type Visited } from "./walk.ts";

const MAX_ENTRIES = 2_000;
const MAX_TEXT = 64 * 1024;

export async function listFiles(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = fields["path"] === undefined ? "." : plainText(fields, "path");
  const depth = number(fields, "depth", { fallback: 1, min: 1, max: 10, whole: true });
  const hidden = flag(fields, "hidden");
  const isLeftOut = leftOut(fields);
  call.begin();

  await using folder = await openFolder(call.workspace, path);
  const lines: string[] = [];
  let room = MAX_TEXT;
  let truncated = false;
  const options = {
    workspace: call.workspace,
    signal: call.signal,
    skip: (name: string) => SKIPPED.has(name),
    depth,
    hidden,
    onCut: () => void (truncated = true),
  };
  for await (const visited of walk(folder, options)) {
    if (isLeftOut(join(folder.path, visited.path))) continue;
    const line = describe(visited);
    room -= Buffer.byteLength(line) + 1;
    if (lines.length >= MAX_ENTRIES || room < 0) {
      truncated = true;
      break;
    }
    lines.push(line);
  }
  const text = lines.length === 0 ? "" : `${lines.join("\n")}\n`;
  return { ok: true, file: { path: folder.path }, text, entries: lines.length, truncated };
}

/** A directory ends with a slash, a file has its size; anything else says what it is. */
function describe({ path, stats }: Visited): string {
  const name = path.replaceAll("\n", "\u240A");
  if (stats.isDirectory()) return `${name}/`;
  if (stats.isFile()) return `${name}\t${stats.size}`;
  return `${name}\t${stats.isSymbolicLink() ? "link" : "special"}`;
}
