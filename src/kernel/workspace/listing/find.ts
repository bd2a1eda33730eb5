// Finds files by name and lines by content, for a person. Of a line only what was read on a handle is returned
// (search.ts).
import { basename, join } from "node:path";
import { flag, number, plainText, record, text } from "../host/call-input.ts";
import { kindOf, type EntryKind } from "./browse.ts";
import type { ToolResult } from "../host/frames.ts";
import { openFolder } from "../files/paths.ts";
import { searchLines, type FoundLine } from "./search.ts";
import { matchesFile } from "./search-built-in.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { SKIPPED, walk } from "./walk.ts";

const MAX_NAMES = 200;
const MAX_VISITED = 100_000;
const MAX_BYTES = 256 * 1024; // of the names; lines have their own bound

type Name = { readonly path: string; readonly kind: EntryKind };

export async function find(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const wanted = plainText(fields, "q");
  const where = fields["in"] === undefined ? "both" : text(fields, "in");
  const query = {
    pattern: wanted,
    literal: !flag(fields, "regex"),
    ignoreCase: wanted === wanted.toLowerCase(), // a capital letter means itself
    glob: fields["glob"] === undefined ? undefined : plainText(fields, "glob"),
    max: number(fields, "max", { fallback: 200, min: 1, max: 500, whole: true }),
    isLeftOut: flag({ hidden: fields["hidden"] ?? true }, "hidden") ? () => false : isHidden,
  };
  const path = fields["path"] === undefined ? "." : plainText(fields, "path");
  const ripgrep = fields["ripgrep"] === undefined ? undefined : plainText(fields, "ripgrep");
  call.begin();

  const names = where === "contents" ? NO_NAMES : await findNames(wanted, query.glob, call);
  const lines = where === "names" ? NO_LINES : await searchLines({ path, query, ripgrep }, call);
  return {
    names: names.names,
    names_truncated: names.truncated,
    hits: lines.hits,
    hits_truncated: lines.truncated,
  };
}

/** Of names that begin with a dot: the file's, or of a folder it is in. */
function isHidden(path: string): boolean {
  return /(^|\/)\.[^/]/.test(path);
}

const NO_NAMES: { names: Name[]; truncated: boolean } = { names: [], truncated: false };
const NO_LINES: { hits: FoundLine[]; truncated: boolean } = { hits: [], truncated: false };

/** Best first: the name itself, its beginning, anywhere in it, anywhere in the path. */
async function findNames(wanted: string, glob: string | undefined, call: ToolCall) {
  const ranked: [Name[], Name[], Name[], Name[]] = [[], [], [], []];
  const needle = wanted.toLowerCase();
  let truncated = false;
  let visited = 0;
  await using folder = await openFolder(call.workspace, ".");
  const options = {
    workspace: call.workspace,
    signal: call.signal,
    skip: (name: string) => SKIPPED.has(name),
    onCut: () => void (truncated = true),
  };
  for await (const { path, name, stats } of walk(folder, options)) {
    visited += 1;
    if (visited > MAX_VISITED) {
      truncated = true;
      break;
    }
    const rank = rankOf(needle, path.toLowerCase());
    if (rank === undefined || !matchesFile(glob, path, name)) continue;
    ranked[rank].push({ path: join(folder.path, path), kind: kindOf(stats) });
  }
  const names = bounded(ranked.flat());
  return { names, truncated: truncated || names.length < ranked.flat().length };
}

function rankOf(needle: string, path: string): 0 | 1 | 2 | 3 | undefined {
  const name = basename(path);
  if (name === needle || path === needle) return 0;
  if (name.startsWith(needle)) return 1;
  if (name.includes(needle)) return 2;
  return path.includes(needle) ? 3 : undefined;
}

function bounded(names: readonly Name[]): Name[] {
  let room = MAX_BYTES;
  return names.slice(0, MAX_NAMES).filter(({ path }) => {
    room -= Buffer.byteLength(JSON.stringify(path)) + 32;
    return room >= 0;
  });
}
