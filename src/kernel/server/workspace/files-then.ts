// A workspace at an earlier moment of its session: the present files, with later journaled changes reverted. Changes
// without a tool are shown as they are now, because nothing recorded the state before them.
import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import type { BlobStore } from "../../blobs/blobs.ts";
import type {
  ChangeRecord,
  FilesView,
  FileView,
  WorkspaceEntry,
} from "../../api/records/records.ts";
import type { FileVersion } from "../../events/catalogue/files.ts";
import { ApiError } from "../../events/errors.ts";
import { dataOf, type Read } from "./workspace-reads.ts";

/** By path: the file as it was, null where there was none. What is not in it was not changed since. */
export type Then = ReadonlyMap<string, FileVersion | null>;

/** `changes`: of the session, in order. The first one after the moment says what was before it. */
export function filesThen(
  changes: readonly ChangeRecord[],
  { workspace, until }: { workspace: string; until: number },
): Then {
  const then = new Map<string, FileVersion | null>();
  for (const change of changes) {
    if (change.session_seq <= until || change.workspace !== workspace) continue;
    if (!then.has(change.path)) then.set(change.path, change.before);
  }
  return then;
}

type ListQuery = { readonly path: string; readonly depth: number; readonly hidden: boolean };
type List = (request: ListQuery) => Promise<Read<FilesView>>;

export async function listThen(then: Then, request: ListQuery, list: List): Promise<FilesView> {
  const past = historyEntries(then, request);
  const now = await list(request);
  if (!now.ok && (now.code !== "not_found" || past.length === 0)) return dataOf(now); // it throws
  const gone = { ...request, workspace: "", entries: [], truncated: false }; // only its files are known
  const view = now.ok ? now.data : gone;
  const late = await lateFolders(then, view.entries, list);
  const kept = view.entries.filter(
    ({ path }) => then.get(path) !== null && !late.some((folder) => isIn(path, folder)),
  );
  const [folders, files] = [past.filter(isFolder), past.filter((entry) => !isFolder(entry))];
  const entries = [...folders, ...kept, ...files].map((entry) => [entry.path, entry] as const);
  return { ...view, entries: [...new Map(entries).values()] }; // of two the later one counts
}

/** Files that were changed or deleted since, where the listing reaches them, and the folders they were in. */
function historyEntries(then: Then, { path: folder, depth, hidden }: ListQuery): WorkspaceEntry[] {
  const top = posix.normalize(folder).replace(/\/$/, "");
  const found = new Map<string, WorkspaceEntry>();
  for (const [path, version] of then) {
    if (!version || !isIn(path, top)) continue;
    const names = (top === "." ? path : path.slice(top.length + 1)).split("/");
    const seen = hidden ? names : names.slice(0, firstHidden(names));
    for (const [index] of seen.slice(0, depth).entries()) {
      const at = posix.join(top, ...names.slice(0, index + 1));
      const isFile = index === names.length - 1;
      const about = { path: at, modified_at: null };
      if (isFile) found.set(at, { ...about, kind: "file", bytes: version.bytes });
      else found.set(at, { ...about, kind: "folder", bytes: null });
    }
  }
  return [...found.values()];
}

function firstHidden(names: readonly string[]): number {
  const at = names.findIndex((name) => name.startsWith("."));
  return at < 0 ? names.length : at;
}

const LOOK_DEEP = 6;

/** Folders with nothing in them but what was made later were made later too. */
async function lateFolders(
  then: Then,
  entries: readonly WorkspaceEntry[],
  list: List,
): Promise<string[]> {
  const made = [...then].flatMap(([path, version]) => (version === null ? [path] : []));
  const late: string[] = [];
  for (const { path: folder } of entries.filter(isFolder)) {
    if (!made.some((path) => isIn(path, folder))) continue;
    const within = await list({ path: folder, depth: LOOK_DEEP, hidden: true });
    if (within.ok && !within.data.truncated && isAllLate(then, within.data.entries)) {
      late.push(folder);
    }
  }
  return late;
}

/** A folder in which nothing is listed may hold anything: it lies too deep, or nobody looks into it. */
function isAllLate(then: Then, entries: readonly WorkspaceEntry[]): boolean {
  const parents = new Set(entries.map(({ path }) => posix.dirname(path)));
  return entries.every((entry) =>
    isFolder(entry) ? parents.has(entry.path) : then.get(entry.path) === null,
  );
}

function isFolder({ kind }: WorkspaceEntry): boolean {
  return kind === "folder";
}

/** The folder is in itself, too. Absolute paths are outside the workspace. */
function isIn(path: string, folder: string): boolean {
  return folder === "." ? !path.startsWith("/") : path === folder || path.startsWith(`${folder}/`);
}

const MAX_BYTES = 2 << 20; // of a version that is shown
const MAX_LINE = 8_192;
const MAX_PAGE = 131_072;
const BINARY_PROBE = 8_000;

type PageQuery = { readonly path: string; readonly first_line: number; readonly lines: number };

/** Undefined: not changed since, so that it is what it is now. */
export async function readThen(
  blobs: BlobStore,
  then: Then,
  request: PageQuery,
): Promise<FileView | undefined> {
  const path = posix.normalize(request.path);
  const version = then.get(path);
  if (version === undefined) return undefined;
  if (version === null) {
    throw new ApiError("not_found", "There was no such file then.", { reason: "not_found" });
  }
  const size = await blobs.size(version.sha256);
  if (size === undefined)
    throw new ApiError("blob_not_found", "What it was then is not kept any more.");
  if (size > MAX_BYTES) {
    throw new ApiError("too_large", "What it was then is too large to be shown.");
  }
  const content = await buffer(blobs.read(version.sha256));
  const about = { path, bytes: size, modified_at: null, version: version.sha256 };
  if (content.subarray(0, BINARY_PROBE).includes(0)) {
    const none = { lines: 0, total_lines: null, text: "", cut_lines: [] };
    return { ...about, binary: true, first_line: request.first_line, ...none };
  }
  return { ...about, binary: false, ...pageOf(content.toString(), request) };
}

/** As many whole lines as were asked for and fit, at least one; a very long one is cut. */
function pageOf(text: string, { first_line, lines: most }: PageQuery) {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const lines: string[] = [];
  const cut_lines: number[] = [];
  let room = MAX_PAGE;
  for (const line of all.slice(first_line - 1, first_line - 1 + most)) {
    const shown = line.replace(/\r$/, "").slice(0, MAX_LINE);
    room -= shown.length + 1;
    if (room < 0 && lines.length > 0) break;
    if (line.length > MAX_LINE) cut_lines.push(first_line + lines.length);
    lines.push(shown);
  }
  const total_lines = all.length;
  return { first_line, lines: lines.length, total_lines, text: lines.join("\n"), cut_lines };
}
