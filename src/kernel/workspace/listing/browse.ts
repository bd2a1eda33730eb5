// What is in a folder, for a person who looks: entries as data, some levels deep. Bounded; nothing is
// opened but folders, and what lies below `.git` and the like only when that folder itself is asked for.
import { join } from "node:path";
import { flag, number, plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { openFolder } from "../files/paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { SKIPPED, walk, type Visited } from "./walk.ts";

const MAX_ENTRIES = 5_000;
const MAX_BYTES = 512 * 1024; // of the answer: a frame's line is at most twice that

export type EntryKind = "folder" | "file" | "link" | "other";

export async function browse(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const depth = number(fields, "depth", { fallback: 1, min: 1, max: 6, whole: true });
  const hidden = flag(fields, "hidden");
  call.begin();

  await using folder = await openFolder(call.workspace, path);
  const entries: object[] = [];
  let room = MAX_BYTES;
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
    const entry = describe(folder.path, visited);
    room -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (entries.length >= MAX_ENTRIES || room < 0) {
      truncated = true;
      break;
    }
    entries.push(entry);
  }
  return { path: folder.path, entries, truncated };
}

function describe(base: string, { path, stats }: Visited) {
  const kind = kindOf(stats);
  const bytes = kind === "file" ? Number(stats.size) : null;
  return { path: join(base, path), kind, bytes, modified_at: Number(stats.mtimeMs) / 1_000 };
}

export function kindOf(stats: Visited["stats"]): EntryKind {
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "other";
}
