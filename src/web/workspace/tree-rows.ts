// Rows of a file tree: folders first, then files. Pure.
import type { WorkspaceEntry } from "../../kernel/api/records/records.ts";
import { nameOf } from "./open-file.ts";

export type Folder =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly message: string }
  | {
      readonly state: "listed";
      readonly entries: readonly WorkspaceEntry[];
      readonly truncated: boolean;
    };
export type Folders = ReadonlyMap<string, Folder>;

export type EntryRow = {
  readonly kind: "entry";
  readonly entry: WorkspaceEntry;
  readonly level: number;
  readonly open: boolean;
  readonly position: number;
  readonly siblings: number;
};
/** A message inside a folder; cannot be selected. */
export type NoteRow = {
  readonly kind: "note";
  readonly folder: string;
  readonly text: string;
  readonly level: number;
};
export type TreeRow = EntryRow | NoteRow;

export const ROOT = ".";

export function treeRows(folders: Folders, open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  addFolder(rows, { path: ROOT, level: 1 }, { folders, open });
  return rows;
}

type Place = { readonly path: string; readonly level: number };
type Known = { readonly folders: Folders; readonly open: ReadonlySet<string> };

function addFolder(rows: TreeRow[], { path, level }: Place, known: Known): void {
  const folder = known.folders.get(path);
  const note = (text: string) => rows.push({ kind: "note", folder: path, text, level });
  if (!folder || folder.state === "loading") return;
  if (folder.state === "failed") {
    note(folder.message);
    return;
  }
  const entries = sorted(folder.entries);
  for (const [index, entry] of entries.entries()) {
    const isOpen = entry.kind === "folder" && known.open.has(entry.path);
    const where = { position: index + 1, siblings: entries.length };
    rows.push({ kind: "entry", entry, level, open: isOpen, ...where });
    if (isOpen) addFolder(rows, { path: entry.path, level: level + 1 }, known);
  }
  if (entries.length === 0 && path !== ROOT) note("Empty");
  if (folder.truncated) note("There is more here than is listed.");
}

function sorted(entries: readonly WorkspaceEntry[]): WorkspaceEntry[] {
  const rank = ({ kind }: WorkspaceEntry) => (kind === "folder" ? 0 : 1);
  return entries.toSorted((a, b) => rank(a) - rank(b) || compare(nameOf(a.path), nameOf(b.path)));
}

const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Keyboard navigation. Undefined: the key has no meaning. */
export function keyTarget(rows: readonly TreeRow[], at: number, key: string): number | undefined {
  const entries = rows.flatMap((row, index) => (row.kind === "entry" ? [index] : []));
  const here = entries.indexOf(at);
  const last = entries.length - 1;
  const step: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(here + 1, last),
    ArrowUp: Math.max(here - 1, 0),
    Home: 0,
    End: last,
    PageDown: Math.min(here + 10, last),
    PageUp: Math.max(here - 10, 0),
  };
  const next = step[key];
  return next === undefined ? undefined : entries[next];
}

export function parentRow(rows: readonly TreeRow[], at: number): number | undefined {
  const level = rows[at]?.level ?? 1;
  for (let index = at - 1; index >= 0; index -= 1) {
    if ((rows[index]?.level ?? 0) < level) return index;
  }
  return undefined;
}

/** Type-ahead. */
export function typedTarget(
  rows: readonly TreeRow[],
  at: number,
  typed: string,
): number | undefined {
  const wanted = typed.toLowerCase();
  for (let step = 1; step <= rows.length; step += 1) {
    const index = (at + step) % rows.length;
    const row = rows[index];
    if (row?.kind !== "entry") continue;
    if (nameOf(row.entry.path).toLowerCase().startsWith(wanted)) return index;
  }
  return undefined;
}
