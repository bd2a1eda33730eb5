// The git directory that git is given: our own, with links to the objects, references and index of the repository,
// and our own configuration. A repository's configuration names programs (filters, hooks, monitors, diff drivers,
// helpers), and whoever may write in the workspace may write it, so git never reads it here.
import { constants } from "node:fs";
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { runGit, type GitEnvironment } from "./run.ts";
import { isWithin } from "../sandbox/sandbox.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";
import { refuseProtected, workspaceRoot, type Workspace } from "../host/workspace.ts";

/** Where the runner found it. `common` differs from `directory` in a linked worktree. */
export type RepositoryPlace = {
  readonly top: string;
  readonly directory: string;
  readonly common: string;
};
export type OpenRepository = AsyncDisposable & {
  readonly root: string;
  /** The workspace below the top of the work tree; empty when it is the top. */
  readonly prefix: string;
  readonly environment: GitEnvironment;
};

const SMALL = 65_536;
const OF_WORKTREE = ["index"] as const;
const OF_COMMON = ["packed-refs", "shallow"] as const;
const FOLDERS = ["objects", "refs"] as const;
/** What a repository may say about itself. None of it is a path or a program. */
const HARMLESS =
  /^(core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode)|extensions\.objectformat)$/;
const PLAIN = /^[A-Za-z0-9]{1,16}$/;

export class NoRepository extends Error {}

export async function openRepository(
  given: RepositoryPlace,
  call: ToolCall,
): Promise<OpenRepository> {
  const root = await workspaceRoot(call.workspace);
  const place = await checked(given, root, call.workspace);
  const own = await mkdtemp(join(tmpdir(), "quarterdeck-git-"));
  try {
    const settings = await settingsOf(place, own, call);
    if (place.directory !== join(place.top, ".git")) await believe(place, settings);
    await writeFile(join(own, "config"), configText(settings));
    await writeFile(join(own, "HEAD"), await smallFile(join(place.directory, "HEAD"), "HEAD"));
    await linkTo(own, place);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
  return {
    root,
    prefix: relative(place.top, root),
    environment: { cwd: root, gitDir: own, top: place.top },
    [Symbol.asyncDispose]: () => rm(own, { recursive: true, force: true }),
  };
}

async function checked(
  { top, directory, common }: RepositoryPlace,
  root: string,
  workspace: Workspace,
): Promise<RepositoryPlace> {
  if (!isWithin(root, top)) throw new NoRepository("The repository is not around the workspace.");
  for (const path of [directory, common]) {
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isDirectory()) throw new NoRepository(`${path} is no directory.`);
    for (let at = await realpath(path); ; at = dirname(at)) {
      refuseProtected(workspace, await stat(at, { bigint: true }));
      if (at === dirname(at)) break;
    }
  }
  return { top, directory, common };
}

/** A `.git` file can name any repository of the machine: one counts that names this place in turn. */
async function believe(place: RepositoryPlace, settings: ReadonlyMap<string, string>) {
  const { top, directory, common } = place;
  const back = await smallFile(join(directory, "gitdir"), "").catch(() => undefined);
  if (back !== undefined) {
    const named = await smallFile(join(directory, "commondir"), "").catch(() => ".");
    const isHere = await sameFile(resolve(directory, back.trim()), join(top, ".git"));
    if (isHere && (await sameFile(resolve(directory, named.trim()), common))) return;
  }
  const worktree = settings.get("core.worktree"); // of a submodule
  if (worktree !== undefined && (await sameFile(resolve(directory, worktree), top))) return;
  throw new NoRepository("What `.git` leads to does not belong to this folder.");
}

async function sameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => "")));
  return a !== "" && a === b;
}

/** `git config` on a file starts nothing and follows no include. */
async function settingsOf({ common }: RepositoryPlace, own: string, call: ToolCall) {
  const file = join(common, "config");
  await smallFile(file, "config"); // no pipe, no link
  const args = ["config", "--file", file, "--no-includes", "--null", "--list"];
  const { output, code } = await runGit(args, { cwd: own }, call);
  if (code !== 0) throw new NoRepository("Its configuration cannot be read.");
  const entries = output.toString("utf8").split("\0");
  return new Map(
    entries.map((entry): [string, string] => {
      const at = entry.indexOf("\n");
      return at < 0 ? [entry, "true"] : [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

function configText(settings: ReadonlyMap<string, string>): string {
  const chosen = [...settings].filter(([key, value]) => HARMLESS.test(key) && PLAIN.test(value));
  const isFormat1 = chosen.some(([key]) => key.startsWith("extensions."));
  const lines = chosen.map(([key, value]) => {
    const [section = "", name = ""] = key.split(".");
    return `[${section}]\n\t${name} = ${value}\n`;
  });
  return `[core]\n\trepositoryformatversion = ${isFormat1 ? 1 : 0}\n\tbare = false\n${lines.join("")}`;
}

/** Links and pipes among git's own files are left out: they could lead anywhere, or make it wait. */
async function linkTo(own: string, { directory, common }: RepositoryPlace): Promise<void> {
  for (const name of FOLDERS) {
    const path = join(common, name);
    if (!(await lstat(path).catch(() => undefined))?.isDirectory()) {
      throw new NoRepository(`It has no folder ${name} of its own.`);
    }
    await symlink(path, join(own, name));
  }
  const files = [
    ...OF_WORKTREE.map((name) => [directory, name] as const),
    ...OF_COMMON.map((name) => [common, name] as const),
  ];
  for (const [from, name] of files) {
    const found = await lstat(join(from, name)).catch(() => undefined);
    if (found?.isFile()) await symlink(join(from, name), join(own, name));
  }
  await mkdir(join(own, "info"));
  const exclude = join(common, "info", "exclude");
  if ((await lstat(exclude).catch(() => undefined))?.isFile()) {
    await symlink(exclude, join(own, "info", "exclude"));
  }
  const worktrees = join(common, "worktrees");
  if ((await lstat(worktrees).catch(() => undefined))?.isDirectory()) {
    await symlink(worktrees, join(own, "worktrees"));
  }
}

async function smallFile(path: string, what: string): Promise<string> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch(() => {
    throw new NoRepository(`It has no ${what} that can be read.`);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > SMALL) throw new NoRepository(`Its ${what} is no file.`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** For `git`'s input, which a runner wrote. */
export function placeOf(fields: Record<string, unknown>): RepositoryPlace {
  const path = (name: string): string => {
    const value = fields[name];
    if (typeof value === "string" && value.startsWith("/") && !value.includes("\0")) return value;
    throw new ToolError("invalid_request", `${name} must be an absolute path`);
  };
  return { top: path("top"), directory: path("directory"), common: path("common") };
}
