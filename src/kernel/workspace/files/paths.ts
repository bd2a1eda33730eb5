// Resolves a path below the workspace one component at a time, each opened from the handle of the one before.
// Symbolic links are followed by hand, so no link, swap or ".." can lead a tool outside.
import { constants, type BigIntStats } from "node:fs";
import { lstat, mkdir, open, readlink, type FileHandle } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { errnoOf, ToolError } from "../host/tool-error.ts";
import {
  refuseHardLink,
  refuseProtected,
  workspaceRoot,
  type Workspace,
} from "../host/workspace.ts";

const MAX_LINKS = 40;
// Absent on Windows, where creating a symbolic link needs a privilege.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;

type Directory = { readonly name: string; readonly path: string; readonly handle: FileHandle };

/** Where a path leads: an open directory, a name in it, and what has that name (if anything). */
export type Location = AsyncDisposable & {
  /** Relative to the workspace, with links resolved. */
  readonly path: string;
  /** The real absolute path. To show and to start commands in; files are opened by `addressOf`. */
  readonly realPath: string;
  readonly directory: FileHandle;
  readonly name: string;
  readonly stats: BigIntStats | undefined;
  /** A path that names `name` in the very directory that was checked, whatever was renamed since. */
  addressOf(name: string): string;
};

/** An open directory. `address` names it and what is in it, whatever was renamed since. */
export type Folder = AsyncDisposable & {
  readonly path: string;
  readonly address: string;
  readonly handle: FileHandle;
};

/** There is nothing of that name. `path` as of a location: links resolved as far as there are any. */
export class NothingThere extends ToolError {
  readonly path: string;
  constructor(path: string, message: string) {
    super("not_found", message);
    this.path = path;
  }
}

type Walk = {
  readonly workspace: Workspace;
  readonly root: string;
  readonly parents: "create" | "expect";
  readonly directories: [Directory, ...Directory[]];
};

export async function locate(
  workspace: Workspace,
  path: string,
  parents: "create" | "expect",
): Promise<Location> {
  const root = await workspaceRoot(workspace);
  const handle = await open(root, constants.O_RDONLY | DIRECTORY);
  const directories: Walk["directories"] = [{ name: "", path: root, handle }];
  try {
    return await descend({ workspace, root, parents, directories }, path);
  } catch (error) {
    await closeAll(directories);
    throw error;
  }
}

/** Opens a regular file. A FIFO, device or socket is refused without waiting for its other end. */
export async function openRegular(workspace: Workspace, location: Location): Promise<FileHandle> {
  if (!location.stats) throw new ToolError("not_found", `No such file: ${location.path}`);
  refuseIrregular(location.stats, location.path);
  const flags = constants.O_RDONLY | NOFOLLOW | NONBLOCK;
  const handle = await open(location.addressOf(location.name), flags);
  try {
    // What was opened counts, not what was there a moment ago.
    const stats = await handle.stat({ bigint: true });
    refuseIrregular(stats, location.path);
    await refuseHardLink(workspace, stats);
    await refuseEscape(handle, await workspaceRoot(workspace));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a directory itself, to list it, to search it or to begin a walk there. */
export async function openFolder(workspace: Workspace, path: string): Promise<Folder> {
  await using location = await locate(workspace, path, "expect");
  if (!location.stats) throw new ToolError("not_found", `No such directory: ${path}`);
  if (!location.stats.isDirectory()) {
    throw new ToolError("invalid_request", `${path} is not a directory`);
  }
  const flags = constants.O_RDONLY | DIRECTORY | NOFOLLOW;
  const handle = await open(location.addressOf(location.name), flags);
  const folder = {
    path: location.path,
    address: fdAddress(handle.fd, location.realPath),
    handle,
    [Symbol.asyncDispose]: async () => handle.close(),
  };
  try {
    refuseProtected(workspace, await handle.stat({ bigint: true }));
    await refuseEscape(handle, await workspaceRoot(workspace));
    return folder;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export function refuseIrregular(stats: BigIntStats, path: string): void {
  if (stats.isDirectory()) throw new ToolError("is_directory", `${path} is a directory`);
  if (!stats.isFile()) throw new ToolError("not_regular", `${path} is not a regular file`);
}

async function descend(walk: Walk, path: string): Promise<Location> {
  const { workspace, directories } = walk;
  let pending = components(inside(walk, path));
  for (let links = 0; ;) {
    const name = pending.shift();
    const here = directories.at(-1) ?? directories[0];
    if (name === undefined) return located(walk, ".");
    if (name === "..") {
      if (directories.length === 1) throw outside(path);
      directories.pop();
      await here.handle.close();
      continue;
    }
    const stats = await lstatIfThere(address(here, name));
    if (stats?.isSymbolicLink()) {
      links += 1;
      if (links > MAX_LINKS) throw new ToolError("io", `Too many symbolic links in ${path}`);
      const target = await readlink(address(here, name));
      if (isAbsolute(target)) await closeAll(directories.splice(1));
      pending = [...components(inside(walk, target)), ...pending];
      continue;
    }
    if (stats) refuseProtected(workspace, stats);
    if (pending.length === 0) return located(walk, name, stats);
    const rest = () => join(...namesOf(directories), name, ...pending);
    if (stats && !stats.isDirectory()) throw new NothingThere(rest(), `${name} is not a directory`);
    if (!stats && walk.parents === "expect") {
      throw new NothingThere(rest(), `No such directory: ${join(here.path, name)}`);
    }
    if (!stats) await makeParent(here, name);
    directories.push(await openDirectory(workspace, here, name));
  }
}

async function located(walk: Walk, name: string, stats?: BigIntStats): Promise<Location> {
  const { directories } = walk;
  const here = directories.at(-1) ?? directories[0];
  return {
    path: join(...namesOf(directories), name),
    realPath: join(here.path, name),
    directory: here.handle,
    name,
    stats: name === "." ? await here.handle.stat({ bigint: true }) : stats,
    addressOf: (other) => address(here, other),
    [Symbol.asyncDispose]: async () => closeAll(directories),
  };
}

function namesOf(directories: Walk["directories"]): string[] {
  return directories.slice(1).map(({ name }) => name);
}

async function openDirectory(
  workspace: Workspace,
  parent: Directory,
  name: string,
): Promise<Directory> {
  const flags = constants.O_RDONLY | DIRECTORY | NOFOLLOW;
  const handle = await open(address(parent, name), flags);
  try {
    refuseProtected(workspace, await handle.stat({ bigint: true }));
    return { name, path: join(parent.path, name), handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function makeParent(parent: Directory, name: string): Promise<void> {
  await mkdir(address(parent, name)).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error; // another call made it first
  });
}

function address(directory: Directory, name: string): string {
  return `${fdAddress(directory.handle.fd, directory.path)}/${name}`;
}

// Linux can open relative to a handle through /proc; elsewhere a swap of a parent stays possible.
export function fdAddress(fd: number, path: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${fd}` : path;
}

async function refuseEscape(handle: FileHandle, root: string): Promise<void> {
  if (process.platform !== "linux") return;
  const opened = await readlink(`/proc/self/fd/${handle.fd}`);
  if (below(root, opened) === undefined) throw outside(opened);
}

/** The part of a path below the workspace, which may be spelled as given or as it really is. */
function inside(walk: Walk, path: string): string {
  if (!isAbsolute(path)) return path;
  const rest = below(walk.root, path) ?? below(walk.workspace.directory, path);
  if (rest === undefined) throw outside(path);
  return rest;
}

function below(directory: string, path: string): string | undefined {
  if (path === directory) return "";
  const prefix = directory.endsWith(sep) ? directory : directory + sep;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

function components(path: string): string[] {
  return path.split(sep).filter((name) => name !== "" && name !== ".");
}

async function lstatIfThere(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  });
}

async function closeAll(directories: readonly Directory[]): Promise<void> {
  await Promise.all(directories.map(({ handle }) => handle.close()));
}

function outside(path: string): ToolError {
  return new ToolError("outside_workspace", `${path} is outside the workspace`);
}
