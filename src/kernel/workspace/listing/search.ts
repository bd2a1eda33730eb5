// Finds lines in files. Ripgrep finds their numbers, or our own search where there is none; the text is always read
// here, on handles, so links, swaps and protected files never show.
import { join } from "node:path";
import { flag, number, plainText, record } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { leftOut } from "./left-out.ts";
import { locate, openFolder, openRegular } from "../files/paths.ts";
import { pickLines } from "../files/pick-lines.ts";
import { ripgrep, type Hits, type Query } from "./ripgrep.ts";
import { searchBuiltIn } from "./search-built-in.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { toToolError } from "../host/tool-error.ts";
import { workspaceRoot } from "../host/workspace.ts";

const MAX_LINE = 400;
const MAX_TEXT = 64 * 1024;

export type FoundLine = { readonly path: string; readonly line: number; readonly text: string };
type Search = {
  readonly path: string;
  readonly query: Query;
  readonly ripgrep: string | undefined;
};
type Found = { readonly hits: FoundLine[]; readonly files: number; readonly truncated: boolean };

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
    isLeftOut,
  };
  const ripgrep = fields["ripgrep"] === undefined ? undefined : plainText(fields, "ripgrep");
  call.begin();

  const { folder, hits, ...rest } = await searchLines({ path, query, ripgrep }, call);
  const text = hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}\n`).join("");
  const { files, truncated } = rest;
  return { ok: true, file: { path: folder }, text, files, matches: hits.length, truncated };
}

/** `isLeftOut` of the query is asked with paths below the workspace. */
export async function searchLines(
  { path, query, ripgrep: binary }: Search,
  call: ToolCall,
): Promise<Found & { readonly folder: string }> {
  await using folder = await openFolder(call.workspace, path);
  const root = await workspaceRoot(call.workspace);
  const where: Query = {
    ...query,
    isLeftOut: (below) => query.isLeftOut(join(folder.path, below)),
  };
  const hits =
    (binary === undefined
      ? undefined
      : await ripgrep(binary, { folder, root, query: where }, call)) ??
    (await searchBuiltIn(folder, where, call));
  return { folder: folder.path, ...(await readLines(folder.path, hits, call)) };
}

async function readLines(
  base: string,
  { places, truncated }: Hits,
  call: ToolCall,
): Promise<Found> {
  const hits: FoundLine[] = [];
  let room = MAX_TEXT;
  let files = 0;
  let cut = truncated;
  for (const [below, numbers] of places) {
    const path = base === "." ? below : `${base}/${below}`;
    const texts = await textsOf(path, numbers, call);
    files += texts.size > 0 ? 1 : 0;
    for (const [line, text] of texts) {
      room -= Buffer.byteLength(`${path}:${line}: ${text}`) + 1;
      if (room < 0) cut = true;
      else hits.push({ path, line, text });
    }
    if (room < 0) break;
  }
  return { hits, files, truncated: cut };
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
