// Replaces the content of a file atomically: a reader, or a crash at any moment, sees the old content or the new. The
// file becomes a new inode, so a hard link keeps the old content.
import { randomUUID } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { lstat, open, rename, rm, type FileHandle } from "node:fs/promises";
import { sweepFolder } from "../processes/leftovers.ts";
import type { Location } from "./paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

export type Replacement = {
  readonly fill: (handle: FileHandle) => Promise<unknown>;
  /** What has the name now: its owner and mode stay. */
  readonly before: BigIntStats | undefined;
  /** Instead of the mode of what was there. */
  readonly mode?: number;
  /** Directly before the new content takes the name; throws to leave the old. */
  readonly verify?: () => Promise<void>;
};

export async function replaceFile(
  location: Location,
  call: ToolCall,
  { fill, before, mode, verify }: Replacement,
): Promise<void> {
  const temporary = location.addressOf(`.quarterdeck-${randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const fixed = before !== undefined || mode !== undefined;
  try {
    {
      await using handle = await open(temporary, flags, fixed ? 0o600 : 0o666);
      await fill(handle);
      if (before) await keepOwner(handle, before);
      if (before || mode !== undefined) {
        await handle.chmod(mode ?? Number(before?.mode ?? 0n) & 0o777);
      }
      await handle.sync();
    }
    await verify?.();
    call.begin();
    await rename(temporary, location.addressOf(location.name));
  } catch (error) {
    await rm(temporary, { force: true });
    if (call.signal.aborted) throw new ToolError("aborted", "The write was aborted");
    throw error;
  }
  await sweepFolder(location).catch(() => undefined); // a folder that only lets itself be written
  await location.directory.sync().catch(() => undefined); // some file systems cannot; the data is synced
}

/** For `verify`: what has the name now must be the very content that was read (or still nothing). */
export async function refuseChanged(
  location: Location,
  before: BigIntStats | undefined,
): Promise<void> {
  const address = location.addressOf(location.name);
  const now = await lstat(address, { bigint: true }).catch(() => undefined);
  const same =
    now?.ino === before?.ino &&
    now?.dev === before?.dev &&
    now?.size === before?.size &&
    now?.mtimeNs === before?.mtimeNs &&
    now?.ctimeNs === before?.ctimeNs;
  if (same) return;
  throw new ToolError("conflict", `${location.path} was changed by somebody else meanwhile`);
}

async function keepOwner(handle: FileHandle, before: BigIntStats): Promise<void> {
  const mine = await handle.stat({ bigint: true });
  if (mine.uid === before.uid && mine.gid === before.gid) return;
  // Only root may give a file away; for everyone else the new content becomes theirs.
  await handle.chown(Number(before.uid), Number(before.gid)).catch(() => undefined);
}
