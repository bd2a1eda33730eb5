// Finds the protected files that a workspace has now (protected-names.ts), the nearest folders first: whoever
// fills a workspace with folders hides nothing at its top. Of files only the settings of git are opened, which
// may name more: where hooks lie, and other settings.
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { linkId } from "./hard-links.ts";
import { ANYWHERE, AT_HOME, AT_TOP, IN_REPOSITORY, isRepository } from "./protected-names.ts";
import { readSmall } from "./read-small.ts";
import { isWithin } from "./sandbox.ts";
import { SKIPPED } from "./walk.ts";

export const MAX_FOLDERS = 20_000;
const BATCH = 100;

export type ProtectedFiles = {
  /** Relative to the workspace: files, folders and links that only a person may change. */
  readonly paths: readonly string[];
  /** Repositories: in the sandbox they keep their name, although there is writing in them. */
  readonly repositories: readonly string[];
  /** Second names of files that no tool may touch. */
  readonly links: readonly string[];
  /** False: there are more folders than were looked at. */
  readonly complete: boolean;
};

/** `linked`: ids of hard-links.ts. Usually there are none, and no file is looked at. */
export async function findProtected(
  root: string,
  linked: ReadonlySet<string> = new Set(),
): Promise<ProtectedFiles> {
  const paths = new Set(atTop(root));
  const repositories: string[] = [];
  const links: string[] = [];
  const folders = [""];
  let looked = 0;
  for (const folder of folders) {
    if (looked >= MAX_FOLDERS) return { paths: [...paths], repositories, links, complete: false };
    looked += 1;
    if (looked % BATCH === 0) await setImmediate();
    const entries = entriesOf(join(root, folder));
    const names = new Set(entries.map(({ name }) => name));
    const isGit = basename(folder) === ".git" || isRepository(names);
    if (isGit) {
      repositories.push(folder);
      for (const name of IN_REPOSITORY) if (names.has(name)) paths.add(join(folder, name));
      for (const path of namedBySettings(root, folder)) paths.add(path);
    }
    const skipped = isGit ? GITS_OWN : SKIPPED;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.name === ".git" && entry.isDirectory()) folders.push(path);
      else if (PROTECTED.has(entry.name)) paths.add(path);
      else if (entry.isDirectory() && (linked.size > 0 || !skipped.has(entry.name))) {
        folders.push(path);
      }
      if (linked.size > 0 && entry.isFile() && isLinked(join(root, path), linked)) links.push(path);
    }
  }
  return { paths: [...paths], repositories, links, complete: true };
}

const PROTECTED: ReadonlySet<string> = new Set(ANYWHERE);
/** Folders of a repository in which no other one lies. */
const GITS_OWN = new Set(["objects", "refs", "logs", "branches", "hooks", "info", "lfs"]);

/** Hooks and settings that lie in the workspace because the settings of the repository say so. */
function namedBySettings(root: string, repository: string): string[] {
  const text = readSmall(join(root, repository, "config"))?.toString() ?? "";
  const top = basename(repository) === ".git" ? dirname(repository) : repository;
  const named = [...text.matchAll(/^\s*(hooksPath|path)\s*=\s*"?([^"\n]+?)"?\s*$/gim)];
  return named
    .map(([, key = "", value = ""]) => resolve(root, /^h/i.test(key) ? top : repository, value))
    .filter((path) => isWithin(path, root) && path !== root)
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .map((path) => relative(root, path));
}

function isLinked(path: string, linked: ReadonlySet<string>): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && linked.has(linkId(stats));
}

function atTop(root: string): string[] {
  const home = homedir();
  const names = AT_TOP.map((name) => join(root, name));
  if (isWithin(home, root)) names.push(...[...AT_TOP, ...AT_HOME].map((name) => join(home, name)));
  return names
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .map((path) => relative(root, path));
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile, or not ours to read
  }
}
