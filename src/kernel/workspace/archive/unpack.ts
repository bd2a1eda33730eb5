// Reads a skill from a folder or an archive: its files as bytes, checked and bounded. Nothing is written or run; one
// link, absolute path or `..` refuses all of it.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import {
  hostilePathProblem,
  isLeftOutOfSkill,
  SKILL_LIMITS,
  skillPathProblem,
} from "../../events/skill-limits.ts";
import { refuse, tooLarge, type ArchiveEntry } from "./archive-entry.ts";
import { plainText, record, text } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { locate, openFolder, openRegular } from "../files/paths.ts";
import { readTar } from "./tar.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";
import { SKIPPED, walk } from "../listing/walk.ts";
import { readZip } from "./zip.ts";

const MAIN = "SKILL.md";
const CHUNK = 65_536;
const MAX_NAMED = 20;

/** `path`: a folder or an archive. `archive`: one that came in the call, as base64. `folder`: which skill of it. */
export async function unpack(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const wanted = fields["folder"] === undefined ? undefined : plainText(fields, "folder");
  call.begin();
  const entries =
    fields["archive"] === undefined
      ? await entriesAt(plainText(fields, "path"), call)
      : entriesIn(Buffer.from(text(fields, "archive"), "base64"));
  const { folder, files, left_out } = select(entries, wanted);
  const listed: object[] = [];
  let room: number = SKILL_LIMITS.bytes;
  for (const { path, entry } of files) {
    if (entry.bytes > SKILL_LIMITS.fileBytes) tooLarge(`${path} is too large for a skill`);
    const data = await entry.read();
    room -= data.length;
    if (room < 0) tooLarge(`The skill has more than ${SKILL_LIMITS.bytes} bytes`);
    listed.push({ path, bytes: data.length, executable: entry.executable });
    for (let at = 0; at < data.length; at += CHUNK) {
      await call.output("stdout", data.subarray(at, at + CHUNK));
    }
  }
  return { folder, files: listed, left_out };
}

async function entriesAt(path: string, call: ToolCall): Promise<ArchiveEntry[]> {
  {
    await using location = await locate(call.workspace, path, "expect");
    if (!location.stats) throw new ToolError("not_found", `There is nothing at ${path}`);
    if (!location.stats.isDirectory()) {
      await using handle = await openRegular(call.workspace, location);
      const { size } = await handle.stat();
      if (size > SKILL_LIMITS.archiveBytes) tooManyBytes();
      const archive = Buffer.alloc(size);
      const { bytesRead } = await handle.read(archive, 0, size, 0);
      return entriesIn(archive.subarray(0, bytesRead));
    }
  }
  return entriesBelow(path, call);
}

/** Files of a folder are read while it is open, so that nothing swapped in meanwhile is. */
async function entriesBelow(path: string, call: ToolCall): Promise<ArchiveEntry[]> {
  await using folder = await openFolder(call.workspace, path);
  const entries: ArchiveEntry[] = [];
  let room: number = SKILL_LIMITS.unpackedBytes;
  const options = {
    workspace: call.workspace,
    signal: call.signal,
    skip: (name: string) => SKIPPED.has(name),
    depth: SKILL_LIMITS.depth + 4,
    hidden: false,
    onCut: () => tooLarge("The folder is too deep, too large, or cannot be read"),
  };
  for await (const { path: at, stats, address } of walk(folder, options)) {
    if (SKIPPED.has(at.split("/").at(-1) ?? "")) continue;
    if (entries.length >= SKILL_LIMITS.archiveEntries) {
      tooLarge(`The folder has more than ${SKILL_LIMITS.archiveEntries} entries`);
    }
    const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "link";
    const data = kind === "file" ? await contentAt(address, room) : Buffer.alloc(0);
    room -= data.length;
    const executable = kind === "file" && (stats.mode & 0o111n) !== 0n;
    entries.push({ path: at, kind, bytes: data.length, executable, read: () => data });
  }
  return entries;
}

async function contentAt(address: string, room: number): Promise<Buffer> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  await using handle = await open(address, flags);
  const stats = await handle.stat();
  if (!stats.isFile()) return refuse("Something in the folder is not a file");
  if (stats.size > room) tooLarge(`The folder has more than ${SKILL_LIMITS.unpackedBytes} bytes`);
  const data = Buffer.alloc(stats.size);
  const { bytesRead } = await handle.read(data, 0, data.length, 0);
  return data.subarray(0, bytesRead);
}

function entriesIn(archive: Buffer): ArchiveEntry[] {
  if (archive.length > SKILL_LIMITS.archiveBytes) tooManyBytes();
  const kind = archive.subarray(0, 4).toString("latin1");
  const entries = kind.startsWith("PK") ? readZip(archive) : readTar(plainTar(archive, kind));
  for (const { path } of entries) {
    const problem = hostilePathProblem(path); // also where nobody looks
    if (problem) refuse(`The archive has ${problem}: ${JSON.stringify(path.slice(0, 100))}`);
  }
  return entries;
}

function plainTar(archive: Buffer, kind: string): Buffer {
  if (!kind.startsWith("\x1f\x8b")) return archive;
  try {
    return gunzipSync(archive, { maxOutputLength: SKILL_LIMITS.unpackedBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      tooLarge(`The archive unpacks to more than ${SKILL_LIMITS.unpackedBytes} bytes`);
    }
    return refuse("The archive is damaged");
  }
}

function tooManyBytes(): never {
  tooLarge(`An archive may have ${SKILL_LIMITS.archiveBytes} bytes`);
}

type Selected = { readonly path: string; readonly entry: ArchiveEntry };

function select(entries: readonly ArchiveEntry[], wanted: string | undefined) {
  const clean = entries.filter(({ path }) => path !== "" && path !== ".");
  const folder = wanted?.replace(/\/+$/, "") ?? onlySkill(clean);
  const prefix = folder === "" ? "" : `${folder}/`;
  const inside = clean.flatMap((entry): Selected[] => {
    const path = entry.path.replace(/^\.\//, "");
    return path.startsWith(prefix) ? [{ path: path.slice(prefix.length), entry }] : [];
  });
  const kept = inside.filter(({ path }) => !isLeftOutOfSkill(path));
  for (const { path, entry } of kept) {
    if (entry.kind === "link") refuse(`${path} is a link: those are not taken`);
    if (entry.kind === "other") refuse(`${path} is no file`);
    const problem = skillPathProblem(path);
    if (problem) refuse(`The skill has ${problem}: ${JSON.stringify(path.slice(0, 100))}`);
  }
  const files = kept.filter(({ entry }) => entry.kind === "file");
  if (files.length > SKILL_LIMITS.files) {
    tooLarge(`The skill has more than ${SKILL_LIMITS.files} files`);
  }
  if (!files.some(({ path }) => path === MAIN)) {
    throw new ToolError("not_found", `There is no ${MAIN}${folder && ` in ${folder}`}`);
  }
  const left_out = inside.filter(({ entry }) => entry.kind === "file").length - files.length;
  return { folder, files, left_out };
}

/** The folder of the one skill there is; a person chooses among several. */
function onlySkill(entries: readonly ArchiveEntry[]): string {
  const folders = entries.flatMap(({ path, kind }) => {
    const at = path.replace(/^\.\//, "");
    const isMain = kind === "file" && !isLeftOutOfSkill(at) && `/${at}`.endsWith(`/${MAIN}`);
    return isMain ? [at.slice(0, -MAIN.length).replace(/\/$/, "")] : [];
  });
  const [first] = folders;
  if (folders.includes("")) return "";
  if (first === undefined) throw new ToolError("not_found", `There is no ${MAIN} in it`);
  if (folders.length === 1) return first;
  const named = folders.slice(0, MAX_NAMED).join(", ");
  throw new ToolError(
    "ambiguous",
    `There are ${folders.length} skills in it; choose one: ${named}`,
  );
}
