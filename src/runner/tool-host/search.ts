// Finds lines in files. Where they stand says ripgrep, or our own search where there is none; their
// text is always read here, on handles, so links, swaps and protected files never show.
import { join } from "node:path";
import { flag, number, plainText, record } from "./call-input.ts";
import type { ToolResult } from "./frames.ts";
import { leftOut } from "./left-out.ts";
import { locate, openFolder, openRegular } from "./paths.ts";
import { pickLines } from "./pick-lines.ts";
import { ripgrep, type Hits, type Query } from "./ripgrep.ts";
import { searchBuiltIn } from "./search-built-in.ts";
import type { ToolCall } from "./tool-call.ts";
import { toToolError } from "./tool-error.ts";
import { workspaceRoot } from "./workspace.ts";

const MAX_LINE = 400;
const MAX_TEXT = 64 * 1024;

export async function searchFiles(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const path = fields["path"] === undefined ? "." : plainText(fields, "path");
  const isLeftOut = leftOut(fields);
  const query = {
    pattern: plainText(fields, "pattern"),
    literal: flag(fields, "literal"),
    ignoreCase: flag(fields, "ignore_case"),
    glob: fields["glob"] === undefined ? undefined : plainText(fields, "glob"),
    max: number(fields, "max_results", { fallback: 100, min: 1, max: 1_000, whole: true }),
  };
  const binary = fields["ripgrep"] === undefined ? undefined : plainText(fields, "ripgrep");
  call.begin();

  await using folder = await openFolder(call.workspace, path);
  const root = await workspaceRoot(call.workspace);
  const where: Query = { ...query, isLeftOut: (below) => isLeftOut(join(folder.path, below)) };
  const hits =
    (binary === undefined
      ? undefined
      : await ripgrep(binary, { folder, root, query: where }, call)) ??
    (await searchBuiltIn(folder, where, call));
  const shown = await showLines(folder.path, hits, call);
  return { ok: true, file: { path: folder.path }, ...shown };
}

async function showLines(base: string, { places, truncated }: Hits, call: ToolCall) {
  const lines: string[] = [];
  let room = MAX_TEXT;
  let files = 0;
  let cut = truncated;
  for (const [path, numbers] of places) {
    const full = base === "." ? path : `${base}/${path}`;
    const texts = await textsOf(full, numbers, call);
    files += texts.size > 0 ? 1 : 0;
    for (const [number, text] of texts) {
      const line = `${full}:${number}: ${text}`;
      room -= Buffer.byteLength(line) + 1;
      if (room < 0) cut = true;
      else lines.push(line);
    }
    if (room < 0) break;
  }
  const text = lines.length === 0 ? "" : `${lines.join("\n")}\n`;
  return { text, files, matches: lines.length, truncated: cut };
}

async function textsOf(
  path: string,
  numbers: readonly number[],
  call: ToolCall,
): Promise<ReadonlyMap<number, string>> {
  try {
    await using location = await locate(call.workspace, path, "expect");
    await using handle = await openRegular(call.workspace, location);
    return await pickLines(handle, numbers, { maxBytes: MAX_LINE, signal: call.signal });
  } catch (error) {
    if (toToolError(error).code === "aborted") throw error;
    return new Map(); // gone, swapped or refused: then it is not for us
  }
}
