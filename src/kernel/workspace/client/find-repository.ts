// Finds the git repository that a workspace belongs to: its own, or one around it. Only names are looked at; a tool
// host reads `.git` files and decides whether to trust them.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

export type Repository = {
  readonly top: string;
  readonly directory: string;
  readonly common: string;
  /** What a sandbox around the workspace has to show beside it. */
  readonly readable: readonly string[];
};
export type NoRepository = { readonly reason: string; readonly message: string };

/** `readPointer`: the text of `.git` in a folder. */
export async function findRepository(
  workspace: string,
  readPointer: (folder: string) => Promise<string | undefined>,
): Promise<Repository | NoRepository> {
  const root = await realpath(workspace).catch(() => undefined);
  if (root === undefined) return none("no_workspace", "There is no such workspace.");
  for (let at = root; ; at = dirname(at)) {
    const path = join(at, ".git");
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) return repository(root, { top: at, directory: path, common: path });
    if (found?.isFile()) {
      const pointed = /^gitdir: (.+?)\s*$/s.exec((await readPointer(at)) ?? "")?.[1];
      if (pointed === undefined) return none("not_readable", "Its `.git` file says nothing.");
      const directory = resolve(at, pointed);
      // What is named here is shown to a sandbox: nothing that does not look like a repository.
      if (!(await looksLikeOne(commonOf(directory)))) {
        return none("not_readable", "Its `.git` file leads to no repository.");
      }
      return repository(root, { top: at, directory, common: commonOf(directory) });
    }
    if (found) return none("not_readable", "Its `.git` is neither a folder nor a file.");
    if (at === dirname(at)) return none("not_a_repository", "The workspace is in no repository.");
  }
}

function none(reason: string, message: string): NoRepository {
  return { reason, message };
}

async function looksLikeOne(common: string): Promise<boolean> {
  const parts = ["HEAD", "objects", "refs"].map((name) => lstat(join(common, name)));
  const [head, objects, refs] = await Promise.all(parts.map((part) => part.catch(() => undefined)));
  return Boolean(head?.isFile() && objects?.isDirectory() && refs?.isDirectory());
}

/** A linked worktree's own part is in `worktrees` of what it has in common with the others. */
function commonOf(directory: string): string {
  const folder = dirname(directory);
  return basename(folder) === "worktrees" ? dirname(folder) : directory;
}

function repository(root: string, place: Omit<Repository, "readable">): Repository {
  const { top, common } = place;
  const inside = (path: string) => path === root || path.startsWith(`${root}/`);
  const beside = [common, ...(top === root ? [] : [join(top, ".git"), ...ignores(top, root)])];
  return { ...place, readable: beside.filter((path) => !inside(path)) };
}

/** What the folders above the workspace say is not for git. */
function ignores(top: string, root: string): string[] {
  const found: string[] = [];
  for (let at = dirname(root); at.length >= top.length; at = dirname(at)) {
    found.push(join(at, ".gitignore"));
    if (at === dirname(at)) break;
  }
  return found;
}
