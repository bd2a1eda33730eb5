// Finds the protected files of a workspace (protected-names.ts), nearest folders first, so that a flood of folders
// hides nothing at the top. Only git's settings are opened, because they may name more: hook folders and other
// settings.
import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { programFolders } from "./program.ts";
import { submodulesIn } from "../../git/index-file.ts";
import { linkId } from "../hard-links.ts";
import { listFolder } from "../../listing/list-folder.ts";
import { ANYWHERE, AT_HOME, AT_TOP, IN_REPOSITORY, isRepository } from "../protected-names.ts";
import { readFile, readSmall } from "../../files/read-small.ts";
import { isWithin } from "../sandbox.ts";
import { SKIPPED } from "../../listing/walk.ts";

export const MAX_FOLDERS = 20_000;
const MAX_INDEX = 128 * 1_048_576;
const BATCH = 100;

export type ProtectedFiles = {
  /** Relative to the workspace: files, folders and links that only a person may change. */
  readonly paths: readonly string[];
  /** Repositories: in the sandbox they keep their name, although there is writing in them. */
  readonly repositories: readonly string[];
  /** Folders in which programs are looked for (PATH). */
  readonly programs: readonly string[];
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
  const repositories = new Set<string>();
  const links: string[] = [];
  const folders = searchFolders();
  for (let at = folders.next(); at !== undefined; at = folders.next()) {
    if (folders.looked > MAX_FOLDERS) break;
    if (folders.looked % BATCH === 0) await setImmediate();
    const { folder, tree } = at;
    const entries = listFolder(join(root, folder));
    const names = new Set(entries.map(({ name }) => name));
    const isGit = tree !== undefined || isRepository(names);
    if (isGit) {
      repositories.add(folder);
      for (const name of IN_REPOSITORY) if (names.has(name)) paths.add(join(folder, name));
      for (const path of namedBySettings(root, folder)) paths.add(path);
    }
    if (tree !== undefined) lookAtSubmodules({ root, folder, tree }, names, folders);
    const skipped = isGit ? GITS_OWN : SKIPPED;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (entry.name === ".git" && isFolder) folders.first({ folder: path, tree: folder });
      else if (PROTECTED.has(entry.name)) {
        paths.add(path);
        if (entry.name === ".git") followGitFile(root, folder, folders);
      } else if (isFolder) {
        const isSkipped = linked.size === 0 && skipped.has(entry.name);
        folders[isSkipped ? "skip" : "later"]({ folder: path });
      }
      if (linked.size > 0 && entry.isFile() && isLinked(join(root, path), linked)) links.push(path);
    }
  }
  const complete = folders.looked <= MAX_FOLDERS;
  const programs = programFolders().flatMap((path) => inside(root, path));
  return { paths: [...paths], repositories: [...repositories], programs, links, complete };
}

/** `tree`: the folder is a repository of which this is the working tree. */
type Place = { readonly folder: string; readonly tree?: string };
type Folders = ReturnType<typeof searchFolders>;

/** Those that git itself would go to come first: whatever else there is, it hides none of them. */
function searchFolders() {
  const urgent: Place[] = [];
  const ordinary: Place[] = [{ folder: "" }];
  const skipped: Place[] = [];
  const seen = new Set<string>();
  const isNew = ({ folder, tree }: Place) => {
    const id = JSON.stringify([folder, tree]);
    return !seen.has(id) && seen.add(id) !== undefined;
  };
  let [nextUrgent, nextOrdinary] = [0, 0];
  return {
    looked: 0,
    everywhere: false, // then nothing is skipped
    first: (place: Place) => void (isNew(place) && urgent.push(place)),
    later: (place: Place) => void (isNew(place) && ordinary.push(place)),
    skip: (place: Place) => void skipped.push(place),
    next(): Place | undefined {
      this.looked += 1;
      if (this.everywhere) for (const place of skipped.splice(0)) this.later(place);
      return nextUrgent < urgent.length ? urgent[nextUrgent++] : ordinary[nextOrdinary++];
    },
  };
}

/** A file `.git` says where the repository is, which may be where nobody would look for one. */
function followGitFile(root: string, tree: string, folders: Folders): void {
  const text = readSmall(join(root, tree, ".git"))?.toString() ?? "";
  const named = /^gitdir: *(.+?)\s*$/m.exec(text)?.[1];
  if (named === undefined) return;
  for (const folder of inside(root, resolve(root, tree, named))) {
    folders.first({ folder, tree });
    folders.first({ folder: join(folder, "../..") }); // of a worktree: what it shares with others
  }
}

type Repository = { readonly root: string; readonly folder: string; readonly tree: string };

/** Git runs itself in each of them, also below folders that are skipped. */
function lookAtSubmodules(
  { root, folder, tree }: Repository,
  names: ReadonlySet<string>,
  folders: Folders,
): void {
  for (const name of names) {
    if (name !== "index" && !name.startsWith("sharedindex.")) continue;
    const index = readFile(join(root, folder, name), MAX_INDEX);
    const found = index && submodulesIn(index);
    if (!found) folders.everywhere = true;
    for (const path of found ?? []) {
      for (const place of inside(root, resolve(root, tree, path))) folders.first({ folder: place });
    }
  }
}

/** The real place of what is there and in the workspace, relative to it. */
function inside(root: string, path: string): string[] {
  try {
    const real = realpathSync(path);
    return isWithin(real, root) ? [relative(root, real)] : [];
  } catch {
    return []; // not there
  }
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
