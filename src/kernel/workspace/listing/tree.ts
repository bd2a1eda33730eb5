// Streams every regular file of the workspace with its hash, as lines [path, sha256, bytes, mode], to compare with
// after a command. A file beyond the bounds has a null hash.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { ToolResult } from "../host/frames.ts";
import { removeStale } from "../processes/leftovers.ts";
import { openFolder } from "../files/paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { errnoOf } from "../host/tool-error.ts";
import { SKIPPED, walk, type Visited } from "./walk.ts";
import { refuseHardLink, type Workspace } from "../host/workspace.ts";

export const MAX_FILES = 10_000;
const MAX_TOTAL = 64 << 20;
export const MAX_FILE = 4 << 20;
const MAX_MANIFEST = 8 << 20;
const MAX_UNSEEN = 32_768; // characters
const CHUNK_BYTES = 64 * 1024;
/** Content changed again within one tick of the file system's clock would look unchanged. */
const SETTLED_MS = 100;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

type Known = { readonly key: string; readonly sha256: string; readonly bytes: number };
/** What the last scan of a workspace found, by path: unchanged files are not read again. */
const indexes = new WeakMap<Workspace, ReadonlyMap<string, Known>>();

export async function tree(_input: unknown, call: ToolCall): Promise<ToolResult> {
  call.begin();
  await using folder = await openFolder(call.workspace, ".");
  const known = indexes.get(call.workspace) ?? new Map<string, Known>();
  const next = new Map<string, Known>();
  const lines = lineSender(call);
  // complete: every file is listed. truncated: some are not, or without their hash.
  const found = { files: 0, bytes: 0, read: 0, complete: true, truncated: false };
  let unseen: string[] | undefined = []; // folders; undefined: it could be anywhere
  const options = {
    workspace: call.workspace,
    signal: call.signal,
    skip: (name: string) => SKIPPED.has(name),
    onLeftover: removeStale,
    onCut: (below?: string) => {
      found.truncated = true;
      if (below === undefined) return;
      found.complete = false;
      unseen?.push(below);
    },
  };
  for await (const visited of walk(folder, options)) {
    if (!visited.stats.isFile() || (await isProtectedLink(call.workspace, visited.stats))) continue;
    if (found.files >= MAX_FILES || lines.bytes() > MAX_MANIFEST) {
      found.complete = false;
      unseen = undefined;
      break;
    }
    const size = Number(visited.stats.size);
    const fits = size <= MAX_FILE && found.bytes + size <= MAX_TOTAL;
    const hashed = fits ? await hashOf(visited, known.get(visited.path), found) : null;
    if (hashed === undefined) continue; // gone meanwhile
    found.files += 1;
    if (hashed) next.set(visited.path, hashed);
    else found.truncated = true;
    found.bytes += hashed?.bytes ?? 0;
    const mode = Number(visited.stats.mode) & 0o777;
    await lines.add(
      JSON.stringify([visited.path, hashed?.sha256 ?? null, hashed?.bytes ?? size, mode]),
    );
  }
  await lines.finish();
  indexes.set(call.workspace, next);
  const isShort = unseen && unseen.join("\n").length <= MAX_UNSEEN;
  const truncated = found.truncated || !found.complete;
  return { ok: true, ...found, truncated, ...(isShort && { unseen }) };
}

/** Undefined: there is no such file any more. Null: it cannot be kept. */
async function hashOf(
  { stats, address }: Visited,
  known: Known | undefined,
  found: { read: number },
): Promise<Known | null | undefined> {
  const key = keyOf(stats);
  if (known?.key === key) return known;
  const began = Date.now();
  const read = readHash(address, stats);
  if (!read) return read;
  found.read += 1;
  if (found.read % 32 === 0 || stats.size > 262_144n) await setImmediate();
  const settled = began - Number(stats.ctimeMs) > SETTLED_MS;
  const { sha256, bytes } = read;
  return { key: read.unchanged && settled ? key : "", sha256, bytes };
}

type Read = { sha256: string; bytes: number; unchanged: boolean };

function readHash(address: string, expected: BigIntStats): Read | null | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(address, READ_FLAGS);
    const opened = fstatSync(fd, { bigint: true });
    if (!opened.isFile() || opened.ino !== expected.ino) return undefined; // replaced meanwhile
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Number(expected.size) + 1));
    let bytes = 0;
    for (let length = 1; length > 0; bytes += length) {
      length = readSync(fd, buffer, 0, buffer.length, null);
      hash.update(buffer.subarray(0, length));
      if (bytes + length > MAX_FILE) return null;
    }
    const unchanged = keyOf(fstatSync(fd, { bigint: true })) === keyOf(expected);
    return { sha256: hash.digest("hex"), bytes, unchanged };
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? undefined : null; // not ours to read
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function keyOf({ mtimeNs, ctimeNs, size, ino, dev }: BigIntStats): string {
  return `${mtimeNs}:${ctimeNs}:${size}:${ino}:${dev}`;
}

async function isProtectedLink(workspace: Workspace, stats: BigIntStats): Promise<boolean> {
  if (stats.nlink <= 1n) return false;
  return refuseHardLink(workspace, stats).then(
    () => false,
    () => true,
  );
}

function lineSender(call: ToolCall) {
  let lines: string[] = [];
  let waiting = 0;
  let sent = 0;
  async function flush(): Promise<void> {
    const data = Buffer.from(lines.join(""));
    lines = [];
    waiting = 0;
    sent += data.length;
    for (let at = 0; at < data.length; at += CHUNK_BYTES) {
      await call.output("stdout", data.subarray(at, at + CHUNK_BYTES));
    }
  }
  return {
    async add(line: string): Promise<void> {
      lines.push(`${line}\n`);
      waiting += line.length;
      if (waiting >= CHUNK_BYTES) await flush();
    },
    finish: flush,
    bytes: () => sent + waiting,
  };
}
