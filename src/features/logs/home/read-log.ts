// Reading a log back: the last lines, or what follows a place in it, through rotation. A place is a file (by its first
// line: names move, and inodes are used again) and how many bytes of it were read.
import { open, readdir, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { logPath, type LogLine } from "../../../kernel/home/log.ts";
import { KEPT } from "../../../kernel/home/log-rotation.ts";

export type LogPage = {
  readonly lines: readonly LogLine[]; // oldest first
  readonly next: string; // the place after them
  readonly lost: boolean; // what was asked for was rotated away: these are the oldest there are
};
type File = { readonly path: string; readonly id: number; readonly size: number };
export type LogQuery = { readonly after?: string | undefined; readonly limit: number };

const FIRST = 512;
const CHUNK = 1_048_576; // read at once; longer than any line

export async function readLog(home: string, kind: string, request: LogQuery): Promise<LogPage> {
  const files = await filesOf(logPath(home, kind));
  if (files.length === 0) return { lines: [], next: "0:0", lost: false };
  return request.after === undefined
    ? lastLines(files, request.limit)
    : linesAfter(files, request.after, request.limit);
}

/** How many bytes there are of each kind. */
export async function logSizes(home: string): Promise<ReadonlyMap<string, number>> {
  const folder = dirname(logPath(home, "errors"));
  const sizes = new Map<string, number>();
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const kind = /^([a-z_]+)\.log(\.\d+)?$/.exec(name)?.[1];
    if (kind === undefined) continue;
    const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }));
    sizes.set(kind, (sizes.get(kind) ?? 0) + size);
  }
  return sizes;
}

/** Oldest first. Renamed while we look, a file may be seen twice: its id says so. */
async function filesOf(path: string): Promise<File[]> {
  const names = [...Array.from({ length: KEPT }, (_, at) => `${path}.${KEPT - at}`), path];
  const found = new Map<number, File>();
  for (const name of names) {
    const file = await fileOf(name).catch(() => undefined);
    if (file) found.set(file.id, file);
  }
  return [...found.values()];
}

async function fileOf(path: string): Promise<File> {
  await using handle = await open(path, "r");
  const { size } = await handle.stat();
  const begin = await bytesOf(handle, 0, Math.min(size, FIRST));
  const end = begin.indexOf(10);
  return { path, size, id: crc32(end === -1 ? begin : begin.subarray(0, end)) };
}

async function linesAfter(files: readonly File[], after: string, limit: number): Promise<LogPage> {
  const [id = 0, offset = 0] = after.split(":").map(Number);
  const at = files.findIndex((file) => file.id === id);
  const lost = at === -1 && after !== "0:0";
  const lines: LogLine[] = [];
  let next = after;
  for (const file of files.slice(Math.max(0, at))) {
    const from = file.id === id ? Math.min(offset, file.size) : 0;
    const { found, read } = await linesIn(file, from, limit - lines.length);
    lines.push(...found);
    next = `${file.id}:${from + read}`;
    if (lines.length >= limit) break;
  }
  return { lines, next, lost };
}

async function lastLines(files: readonly File[], limit: number): Promise<LogPage> {
  const newest = files.at(-1);
  const next = newest ? `${newest.id}:${newest.size}` : "0:0";
  let lines: LogLine[] = [];
  for (const file of files.toReversed()) {
    if (lines.length >= limit) break;
    lines = [...(await tailOf(file, limit - lines.length)), ...lines];
  }
  return { lines, next, lost: false };
}

/** The last lines of a file, read from its end in steps that double: most want few. */
async function tailOf(file: File, limit: number): Promise<readonly LogLine[]> {
  await using handle = await open(file.path, "r");
  for (let back = 65_536; ; back *= 2) {
    const from = Math.max(0, file.size - back);
    const text = await textOf(handle, from, file.size - from);
    const begin = from === 0 ? 0 : text.indexOf("\n") + 1;
    const lines = parsed(text.slice(begin));
    if (lines.length >= limit || from === 0) return lines.slice(-limit);
  }
}

async function linesIn(file: File, from: number, limit: number) {
  await using handle = await open(file.path, "r");
  const found: LogLine[] = [];
  let read = 0;
  while (found.length < limit && from + read < file.size) {
    const buffer = await bytesOf(handle, from + read, Math.min(CHUNK, file.size - from - read));
    let begin = 0;
    for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, begin)) {
      found.push(...parsed(buffer.toString("utf8", begin, end)));
      begin = end + 1;
      if (found.length >= limit) break;
    }
    if (begin === 0) break; // half a line: it is still being written
    read += begin;
  }
  return { found, read };
}

async function textOf(handle: FileHandle, from: number, length: number): Promise<string> {
  return (await bytesOf(handle, from, length)).toString("utf8");
}

async function bytesOf(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** A line that is not ours, or half of one, is shown as it is: a log is for when something is wrong. */
function parsed(text: string): LogLine[] {
  return text.split("\n").flatMap((line): LogLine[] => {
    if (line.trim() === "") return [];
    try {
      const known = JSON.parse(line) as LogLine;
      if (typeof known === "object" && known !== null && typeof known.message === "string") {
        return [known];
      }
    } catch {
      // told below
    }
    return [{ at: "", level: "warn", kind: "", pid: 0, message: line.slice(0, 8_000) }];
  });
}
