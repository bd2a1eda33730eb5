// Lists a folder some levels deep, bounded. Only folders are opened; `.git` and similar ones only when they are
// requested themselves.
import { openFolder } from "../files/paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { SKIPPED, walk, type Visited } from "./walk.ts";

type ListOptions<Entry> = {
  readonly path: string;
  readonly depth: number;
  readonly hidden: boolean;
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Undefined leaves it out. `folder` is where the walk began. */
  readonly describe: (visited: Visited, folder: string) => Entry | undefined;
  readonly textOf: (entry: Entry) => string;
};

export async function listEntries<Entry>(call: ToolCall, options: ListOptions<Entry>) {
  await using folder = await openFolder(call.workspace, options.path);
  const entries: Entry[] = [];
  let room = options.maxBytes;
  let truncated = false;
  const { workspace, signal } = call;
  const { depth, hidden } = options;
  const skip = (name: string) => SKIPPED.has(name);
  const onCut = () => void (truncated = true);
  for await (const visited of walk(folder, { workspace, signal, skip, depth, hidden, onCut })) {
    const entry = options.describe(visited, folder.path);
    if (entry === undefined) continue;
    room -= Buffer.byteLength(options.textOf(entry)) + 1;
    if (entries.length >= options.maxEntries || room < 0) {
      truncated = true;
      break;
    }
    entries.push(entry);
  }
  return { path: folder.path, entries, truncated };
}
