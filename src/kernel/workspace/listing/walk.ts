// Walks a directory tree on handles: every directory is opened from its parent's handle and never through a link, so
// a swap cannot lead outside. The calls are synchronous, because a scan is thousands of tiny ones; between batches
// other work gets its turn.
import { closeSync, constants, fstatSync, lstatSync, opendirSync, openSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { isTemporary } from "../processes/leftovers.ts";
import { fdAddress, type Folder } from "../files/paths.ts";
import { ToolError, toToolError } from "../host/tool-error.ts";
import { fileId, type Workspace } from "../host/workspace.ts";

const MAX_NAMES = 20_000; // in one directory
const MAX_DEPTH = 64; // each level keeps a handle
const BATCH = 200;
const UNREADABLE = new Set(["not_found", "not_regular", "io", "invalid_request"]);

export type Visited = {
  /** Relative to where the walk began. */
  readonly path: string;
  readonly name: string;
  readonly stats: BigIntStats;
  /** Names it in the directory that is open right now: use it before asking for the next one. */
  readonly address: string;
  readonly depth: number;
};

export type WalkOptions = {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** Directories that are visited but not entered. */
  readonly skip: (name: string) => boolean;
  readonly depth?: number;
  readonly hidden?: boolean;
  /** Told of what a killed host left behind. */
  readonly onLeftover?: (address: string) => void;
  /**
   * Told when something was left out: below `folder` (too many names, too deep, unreadable), or without one
   * a name that is no UTF-8, which nobody can say anyway.
   */
  readonly onCut: (folder?: string) => void;
};

/** What nobody means when they speak of their files. */
export const SKIPPED = new Set([".git", "node_modules", ".venv", "__pycache__"]);

export async function* walk(folder: Folder, options: WalkOptions): AsyncGenerator<Visited> {
  const counter = { visited: 0 };
  yield* inside(
    { fd: folder.handle.fd, path: "", address: folder.address, depth: 1 },
    options,
    counter,
  );
}

type Open = { fd: number; path: string; address: string; depth: number };

async function* inside(
  directory: Open,
  options: WalkOptions,
  counter: { visited: number },
): AsyncGenerator<Visited> {
  const { depth } = directory;
  for (const name of namesIn(directory, options)) {
    counter.visited += 1;
    if (counter.visited % BATCH === 0) await setImmediate();
    if (options.signal.aborted) throw new ToolError("aborted", "Aborted");
    const address = `${directory.address}/${name}`;
    const stats = lstatIfThere(address);
    if (!stats) {
      if (name.includes("\uFFFD")) options.onCut(); // no UTF-8: cannot be named
      continue;
    }
    if (isProtected(options.workspace, stats)) continue;
    const path = directory.path === "" ? name : `${directory.path}/${name}`;
    yield { path, name, stats, address, depth };
    if (!stats.isDirectory() || options.skip(name)) continue;
    if (depth >= (options.depth ?? MAX_DEPTH)) {
      if (options.depth === undefined) options.onCut(path);
      continue;
    }
    const fd = openDirectory({ address, path }, options);
    if (fd === undefined) continue;
    try {
      yield* inside(
        { fd, path, address: fdAddress(fd, address), depth: depth + 1 },
        options,
        counter,
      );
    } finally {
      closeSync(fd);
    }
  }
}

function namesIn(directory: Open, { hidden = true, onCut, onLeftover }: WalkOptions): string[] {
  const names: string[] = [];
  try {
    const entries = opendirSync(directory.address);
    try {
      for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
        if (isTemporary(entry.name)) {
          onLeftover?.(`${directory.address}/${entry.name}`);
          continue;
        }
        if (!hidden && entry.name.startsWith(".")) continue;
        if (names.length >= MAX_NAMES) {
          onCut(directory.path);
          break;
        }
        names.push(entry.name);
      }
    } finally {
      entries.closeSync();
    }
  } catch (error) {
    tolerate(error, () => onCut(directory.path));
  }
  return names.toSorted();
}

function openDirectory(
  { address, path }: Pick<Open, "address" | "path">,
  { workspace, onCut }: WalkOptions,
): number | undefined {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  try {
    const fd = openSync(address, flags);
    if (!isProtected(workspace, fstatSync(fd, { bigint: true }))) return fd;
    closeSync(fd);
  } catch (error) {
    tolerate(error, () => onCut(path)); // swapped or removed meanwhile, or not ours to read
  }
  return undefined;
}

function tolerate(error: unknown, onCut: () => void): void {
  const { code } = toToolError(error);
  if (!UNREADABLE.has(code)) throw error;
  if (code !== "not_found") onCut();
}

function isProtected(workspace: Workspace, stats: BigIntStats): boolean {
  const id = fileId(stats);
  return workspace.protect.some((place) => place.id === id);
}

function lstatIfThere(address: string): BigIntStats | undefined {
  return lstatSync(address, { bigint: true, throwIfNoEntry: false });
}
