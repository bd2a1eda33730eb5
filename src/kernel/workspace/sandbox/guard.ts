// Compares protected files before and after a command. Existing ones are read-only in the sandbox; new ones cannot
// be, so what appeared or changed is reverted here. It runs in a host without commands, so a command can neither stop
// nor see it.
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { record } from "../host/call-input.ts";
import { findProtected } from "./find/protected.ts";
import type { ToolResult } from "../host/frames.ts";
import { isHarmlessGit } from "../git/harmless-git.ts";
import { listFolder } from "../listing/list-folder.ts";
import { openFolder } from "../files/paths.ts";
import { readSmall } from "../files/read-small.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError, toToolError } from "../host/tool-error.ts";
import { workspaceRoot } from "../host/workspace.ts";

// So that the answer fits into a frame: bytes of all contents, and of everything that is said of files.
const MAX_CONTENT = 384 * 1024;
const MAX_LISTED = 192 * 1024;
const PER_FILE = 160;
const MAX_REPORTED = 200;

/** `content` is base64; without it the file is only recognised and cannot be brought back. */
export type GuardedFile =
  | {
      readonly kind: "file";
      readonly sha256: string;
      readonly mode: number;
      readonly harmless: boolean;
      readonly content?: string;
    }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "other"; readonly id: string };
type GuardedFolder = {
  readonly kind: "folder";
  readonly files: Readonly<Record<string, GuardedFile>>;
  /** False: there are more. */
  readonly complete: boolean;
};
/** By the path of what is protected, relative to the workspace. */
export type Guarded = Readonly<Record<string, GuardedFile | GuardedFolder>>;
export type TakenBack = {
  readonly path: string;
  readonly was: "created" | "changed";
  /** What the files had in them, as far as it is small: base64 by path. */
  readonly contents: Readonly<Record<string, string>>;
  /** It could not be taken back: why. */
  readonly failed?: string;
};

/**
 * Without `before`: what is protected as it is now, and which repositories there are. `overfull`: there is more than
 * can be told, so a later comparison would take the person's own files for new ones.
 */
export async function guard(input: unknown, call: ToolCall): Promise<ToolResult> {
  const { before } = record(input);
  call.begin();
  const root = await workspaceRoot(call.workspace);
  const survey = await findProtected(root, call.workspace.linked);
  const { paths, complete, ...more } = survey;
  if (before === undefined) {
    const room = { content: MAX_CONTENT, listed: MAX_LISTED };
    const found = entriesOf(root, paths, room);
    return { ok: true, found, ...more, complete, overfull: room.listed < 0 };
  }
  const found = entriesOf(root, paths, { content: MAX_CONTENT, listed: Infinity });
  const taken: TakenBack[] = [];
  for (const change of changesOf(before as Guarded, found))
    taken.push(await takeBack(call, change));
  return {
    ok: true,
    taken: taken.slice(0, MAX_REPORTED),
    more: taken.length > MAX_REPORTED,
    complete,
  };
}

type Change = {
  readonly path: string;
  readonly earlier: GuardedFile | GuardedFolder | undefined;
  readonly now: GuardedFile | GuardedFolder;
};

function changesOf(before: Guarded, found: Guarded): Change[] {
  return Object.entries(found).flatMap(([path, now]): Change[] => {
    const earlier = before[path];
    if (earlier?.kind !== "folder" || now.kind !== "folder") {
      return isSame(earlier, now) || isHarmless(now) ? [] : [{ path, earlier, now }];
    }
    return Object.entries(now.files)
      .filter(([name, file]) => !isSame(earlier.files[name], file) && !isHarmless(file))
      .map(([name, file]) => ({ path: name, earlier: earlier.files[name], now: file }));
  });
}

function entriesOf(root: string, paths: readonly string[], room: Room): Guarded {
  const entries: Record<string, GuardedFile | GuardedFolder> = {};
  for (const path of paths) {
    if (room.listed < 0) return entries;
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (!stats) continue; // gone meanwhile
    entries[path] = stats.isDirectory()
      ? folderOf(root, path, room)
      : fileOf(root, path, stats, room);
  }
  return entries;
}

type Room = { content: number; listed: number };

function folderOf(root: string, folder: string, room: Room): GuardedFolder {
  const files: Record<string, GuardedFile> = {};
  room.listed -= folder.length + PER_FILE;
  const waiting = namesIn(root, folder);
  for (const path of waiting) {
    if (room.listed < 0) return { kind: "folder", files, complete: false };
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stats?.isDirectory()) waiting.push(...namesIn(root, path));
    else if (stats) files[path] = fileOf(root, path, stats, room);
  }
  return { kind: "folder", files, complete: true };
}

function fileOf(root: string, path: string, stats: Stats, room: Room): GuardedFile {
  room.listed -= path.length + PER_FILE;
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(join(root, path)) };
  const content = stats.isFile() ? readSmall(join(root, path)) : undefined;
  // A large or special file is told apart by when it was changed.
  if (!content) return { kind: "other", id: `${stats.ino}:${stats.size}:${stats.ctimeMs}` };
  room.content -= content.length;
  return {
    kind: "file",
    sha256: createHash("sha256").update(content).digest("hex"),
    mode: stats.mode & 0o777,
    harmless: isHarmlessGit(path, content.toString()),
    ...(room.content >= 0 && { content: content.toString("base64") }),
  };
}

function isSame(one: Change["earlier"], other: Change["now"]): boolean {
  if (one?.kind === "file" && other.kind === "file") {
    return one.sha256 === other.sha256 && one.mode === other.mode;
  }
  return JSON.stringify(one) === JSON.stringify(other);
}

function isHarmless(now: Change["now"]): boolean {
  if (now.kind === "folder") return now.complete && Object.values(now.files).every(isHarmless);
  return now.kind === "file" && now.harmless;
}

async function takeBack(call: ToolCall, { path, earlier, now }: Change): Promise<TakenBack> {
  const was = earlier === undefined ? "created" : "changed";
  const files = now.kind === "folder" ? now.files : { [path]: now };
  const contents = Object.fromEntries(
    Object.entries(files).flatMap(([name, file]) =>
      file.kind === "file" && file.content !== undefined ? [[name, file.content]] : [],
    ),
  );
  try {
    await using folder = await openFolder(call.workspace, dirname(path));
    const address = `${folder.address}/${basename(path)}`;
    if (earlier === undefined) await rm(address, { recursive: true, force: true });
    else await bringBack(address, earlier);
    return { path, was, contents };
  } catch (error) {
    return { path, was, contents, failed: toToolError(error).message };
  }
}

async function bringBack(address: string, earlier: GuardedFile | GuardedFolder): Promise<void> {
  const isKept =
    earlier.kind === "link" || (earlier.kind === "file" && earlier.content !== undefined);
  if (!isKept) throw new ToolError("io", "its earlier content was not kept");
  const next = `${address}.quarterdeck-${process.pid}`;
  if (earlier.kind === "link") await symlink(earlier.target, next);
  else {
    const content = Buffer.from(earlier.content ?? "", "base64");
    await writeFile(next, content, { mode: earlier.mode, flag: "wx" });
  }
  await rename(next, address);
}

function namesIn(root: string, folder: string): string[] {
  return listFolder(join(root, folder))
    .map(({ name }) => join(folder, name))
    .toSorted();
}
