// The one directory tree that a tool host may touch, and the folders (the journal's home, the program) that it may
// not touch even there. They are compared by device and inode, so a bind mount or another spelling is the same
// folder.
import { statSync, type BigIntStats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isLinkInto, linkId } from "../sandbox/hard-links.ts";
import { ToolError } from "./tool-error.ts";

export type Workspace = {
  readonly directory: string;
  readonly protect: readonly Protected[];
  /** In a sandbox, which does not show them: protected files with a second name already (hard-links.ts) … */
  readonly linked?: ReadonlySet<string>;
  /** … and those that may get one. */
  readonly linkable?: ReadonlySet<string>;
};
/** `path` lets hard links into the directory be recognised; without it only the directory itself is. */
export type Protected = { readonly id: string; readonly path: string | undefined };

export function fileId(stats: Pick<BigIntStats, "dev" | "ino">): string {
  return `${stats.dev}:${stats.ino}`;
}

/** DEV:INO or DEV:INO:PATH */
export function parseProtected(argument: string): Protected {
  const match = /^(\d+:\d+)(?::(.+))?$/s.exec(argument);
  if (!match?.[1]) throw new Error(`--protect needs DEV:INO, not ${argument}`);
  return { id: match[1], path: match[2] };
}

export async function formatProtected(directory: string): Promise<string> {
  return `${await formatId(directory)}:${await realpath(directory)}`;
}

export async function formatId(path: string): Promise<string> {
  return fileId(await stat(path, { bigint: true }));
}

/** A sandbox shows an empty directory in its place: that one is no more for tools than the real one. */
export function asSeenHere(place: Protected, sandboxed: boolean): Protected[] {
  const seen = { bigint: true, throwIfNoEntry: false } as const;
  const shown = place.path && sandboxed && statSync(place.path, seen);
  return shown ? [place, { id: fileId(shown), path: undefined }] : [place];
}

/** The real path of the workspace. Asked per call: the directory may be made or replaced meanwhile. */
export async function workspaceRoot(workspace: Workspace): Promise<string> {
  const root = await realpath(workspace.directory).catch(() => {
    throw new ToolError("not_found", `No workspace directory ${workspace.directory}`);
  });
  for (let at = root; ; at = dirname(at)) {
    refuseProtected(workspace, await stat(at, { bigint: true }));
    if (at === dirname(at)) return root;
  }
}

export function refuseProtected(workspace: Workspace, stats: BigIntStats): void {
  const id = fileId(stats);
  if (workspace.protect.some((place) => place.id === id)) throw protectedPlace();
}

/** Refuses a second name of one of the journal's own files. Stats only, never opens them (D8). */
export async function refuseHardLink(workspace: Workspace, stats: BigIntStats): Promise<void> {
  if (stats.nlink <= 1n) return;
  const { linked, linkable } = workspace;
  if (linked?.has(linkId(stats)) || linkable?.has(linkId(stats))) throw protectedPlace();
  for (const { path } of workspace.protect) {
    if (path !== undefined && (await isLinkInto(path, stats))) throw protectedPlace();
  }
}

function protectedPlace(): ToolError {
  return new ToolError("protected", "Quarterdeck's own files are not for tools");
}
