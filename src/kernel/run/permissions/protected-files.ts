// Files of a workspace that run outside of any sandbox: writing them asks a person first.
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { programFolders } from "../../workspace/sandbox/find/program.ts";
import { locate, pathRestricted } from "../../workspace/listing/path-patterns.ts";
import {
  ANYWHERE,
  AT_HOME,
  AT_TOP,
  IN_REPOSITORY,
  isRepository,
} from "../../workspace/sandbox/protected-names.ts";

const PATTERNS = [
  ...ANYWHERE.map((name) => `**/${name}`),
  ...AT_TOP,
  ...[...AT_TOP, ...AT_HOME].map((name) => join(homedir(), name)),
];

/** For tools that look through folders or follow links. */
export function protectedPatterns(workspace: string): string[] {
  const root = locate(".", workspace).absolute;
  const isBelow = (path: string) => locate(path, workspace).inside && resolve(path) !== root;
  return [...PATTERNS, ...programFolders().filter(isBelow)];
}

/** Why a person is asked before this path is written; undefined: it is an ordinary file. */
export function protectedReason(path: string, workspace: string): string | undefined {
  const { absolute } = locate(path, workspace);
  const patterns = protectedPatterns(workspace);
  const pattern = patterns.find((it) => pathRestricted({ pattern: it, workspace }, path));
  if (pattern !== undefined) {
    return `Writes a protected file (${pattern.replace("**/", "")}): ${absolute}`;
  }
  const repository = repositoryMadeBy(absolute, workspace);
  if (repository === undefined) return undefined;
  return `Writes settings of the git repository ${repository}: ${absolute}`;
}

const PARTS = new Set<string>(["HEAD", "objects", "refs", ...IN_REPOSITORY]);

/** The folder that git would take for a repository once this path is written. */
function repositoryMadeBy(absolute: string, workspace: string): string | undefined {
  const { absolute: top } = locate(".", workspace);
  for (let at = absolute; at !== top && at !== dirname(at); at = dirname(at)) {
    const folder = dirname(at);
    const [name = ""] = relative(folder, at).split(sep);
    if (PARTS.has(name) && isRepository(new Set([...namesIn(folder), name]))) return folder;
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there yet
  }
}
