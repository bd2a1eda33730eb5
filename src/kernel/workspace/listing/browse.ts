// Lists a folder as data, for a person.
import { join } from "node:path";
import { flag, number, plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { listEntries } from "./list-entries.ts";
import type { Visited } from "./walk.ts";

const MAX_ENTRIES = 5_000;
const MAX_BYTES = 512 * 1024; // of the answer: a frame's line is at most twice that

export type EntryKind = "folder" | "file" | "link" | "other";

export async function browse(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = plainText(fields, "path");
  const depth = number(fields, "depth", { fallback: 1, min: 1, max: 6, whole: true });
  const hidden = flag(fields, "hidden");
  call.begin();

  return listEntries(call, {
    path,
    depth,
    hidden,
    maxEntries: MAX_ENTRIES,
    maxBytes: MAX_BYTES,
    describe: (visited, folder) => describe(folder, visited),
    textOf: JSON.stringify,
  });
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
