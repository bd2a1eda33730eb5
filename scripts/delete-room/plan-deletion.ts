// What has to change so that a room can go: files that go with it, and the lines of lists in all others. Nothing is
// written here, so that a test can plan the deletion of every room.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithoutTests, removeRoom } from "./remove-room.ts";

export type Source = {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[]; // as they are written
};
export type Deletion = {
  readonly doomed: ReadonlySet<string>;
  readonly edits: ReadonlyMap<string, string>; // a file's new text
  readonly left: readonly string[]; // uses that are no lines of a list
};

export function readSources(root: string): Source[] {
  return globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: root }).map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const imports = [...text.matchAll(/"(\.{1,2}\/[^"\n]+)"/g)].map(([, name = ""]) => name);
    return { path, text, imports };
  });
}

export function planDeletion(root: string, sources: readonly Source[], room: string): Deletion {
  const folder = join("src", room);
  const outside = globSync(goesWith(root, room), { cwd: root });
  const doomed = new Set([...globSync(`${folder}/**/*`, { cwd: root }), ...outside]);
  for (;;) {
    const planned = removals(sources, room, doomed);
    const emptied = [...planned.edits].filter(([path, text]) => isEmptied(path, text));
    if (emptied.length === 0) return { doomed, ...planned };
    for (const [path] of emptied) doomed.add(path); // and what imports them has to change, too
  }
}

/** Rooms that use this one, by where its uses are left; undefined: something that is no room does. */
export function neededBy(left: readonly string[]): string[] | undefined {
  const rooms = left.map((use) => /^src\/((?:features|windows)\/[^/]+)\//.exec(use)?.[1]);
  return rooms.includes(undefined) ? undefined : [...new Set(rooms as string[])];
}

/** Files elsewhere that belong to the room, as patterns: its end-to-end tests, its page in a window. */
export function goesWith(root: string, room: string): string[] {
  const list = join(root, "src", room, "room.json");
  if (!existsSync(list)) return [];
  return (JSON.parse(readFileSync(list, "utf8")) as { goes_with: string[] }).goes_with;
}

function removals(sources: readonly Source[], room: string, doomed: ReadonlySet<string>) {
  const edits = new Map<string, string>();
  const left: string[] = [];
  for (const { path, text, imports } of sources) {
    if (doomed.has(path)) continue;
    const isGone = (specifier: string) => doomed.has(join(dirname(path), specifier));
    if (!text.includes(room) && !imports.some(isGone)) continue; // parsing takes most of the time
    const removed = removeRoom(path, text, { room, isGone });
    if (!removed) continue;
    left.push(...removed.left);
    if (removed.text !== text) edits.set(path, removed.text);
  }
  return { edits, left };
}

function isEmptied(path: string, text: string): boolean {
  return text.trim() === "" || (/\.test\.tsx?$/.test(path) && isWithoutTests(path, text));
}
