// Lists a directory for an agent, one line per entry.
import { join } from "node:path";
import { flag, number, plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { leftOut } from "./left-out.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { listEntries } from "./list-entries.ts";
import type { Visited } from "./walk.ts";

const MAX_ENTRIES = 2_000;
const MAX_TEXT = 64 * 1024;

export async function listFiles(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = fields["path"] === undefined ? "." : plainText(fields, "path");
  const depth = number(fields, "depth", { fallback: 1, min: 1, max: 10, whole: true });
  const hidden = flag(fields, "hidden");
  const isLeftOut = leftOut(fields);
  call.begin();

  const found = await listEntries(call, {
    path,
    depth,
    hidden,
    maxEntries: MAX_ENTRIES,
    maxBytes: MAX_TEXT,
    describe: (visited, folder) =>
      isLeftOut(join(folder, visited.path)) ? undefined : describe(visited),
    textOf: (line) => line,
  });
  const { entries, truncated } = found;
  const text = entries.map((line) => `${line}\n`).join("");
  return { ok: true, file: { path: found.path }, text, entries: entries.length, truncated };
}

/** A directory ends with a slash, a file has its size; anything else says what it is. */
function describe({ path, stats }: Visited): string {
  const name = path.replaceAll("\n", "\u240A");
  if (stats.isDirectory()) return `${name}/`;
  if (stats.isFile()) return `${name}\t${stats.size}`;
  return `${name}\t${stats.isSymbolicLink() ? "link" : "special"}`;
}
