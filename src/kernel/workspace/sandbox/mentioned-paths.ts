// Files a command line names, for people who want to look at them. A guess from its words, and only
// of what lies below the workspace by its spelling: nothing is opened, nothing is decided by it.
import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { workspaceRoot, type Workspace } from "../host/workspace.ts";

const MAX_PATHS = 20;
const MAX_WORDS = 100;
const WORD = /"([^"]*)"|'([^']*)'|([^\s"'`;|&<>()$={}*?]+)/g;

/** `path` as it was written; `viewerPath` relative to the workspace. */
export type MentionedPath = { path: string; viewerPath: string };

export async function mentionedPaths(
  line: string,
  cwd: string,
  workspace: Workspace,
): Promise<MentionedPath[]> {
  const root = await workspaceRoot(workspace);
  const words = [...line.slice(0, 8_192).matchAll(WORD)].slice(0, MAX_WORDS);
  const paths = new Map<string, string>();
  for (const [, double, single, bare] of words) {
    const word = double ?? single ?? bare ?? "";
    if (word === "" || word.startsWith("-") || word.includes("\0") || !/[./]/.test(word)) continue;
    const path = relative(root, isAbsolute(word) ? word : join(cwd, word));
    if (path !== "" && path !== ".." && !path.startsWith(`..${sep}`)) paths.set(path, word);
  }
  const found: MentionedPath[] = [];
  for (const [viewerPath, path] of paths) {
    if (found.length === MAX_PATHS) break;
    const stats = await lstat(join(root, viewerPath)).catch(() => undefined);
    if (stats?.isFile()) found.push({ path, viewerPath });
  }
  return found;
}
