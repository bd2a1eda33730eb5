// What people do to a profile's skills as a whole: write one, edit its text, take it away, put one there that came
// from elsewhere. A kill at any moment leaves the old one or the new one, never half of either.
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseFrontMatter } from "../../../kernel/home/front-matter.ts";
import { errnoOf, ProfileError } from "../../../kernel/home/profile/error.ts";
import {
  components,
  ensureFolder,
  entriesOf,
  exists,
  readText,
  subfolder,
  unreadable,
  type Folder,
} from "../../../kernel/home/profile/files.ts";
import { changeFile } from "../../../kernel/home/replace-file.ts";
import { contentOf } from "./content.ts";
import type { PackedFile } from "./package.ts";
import { checked, MAIN, MAX_VIEW_BYTES, missing } from "./skills.ts";

/** Hidden beside the skills. What is taken away stays there until the next one of that name is. */
const REMOVED = ".removed";
const BEGUN = /^\.new-[0-9a-f-]{36}$/;

/** Throws `conflict` unless the skill still is what `hash` says. */
export async function expectContent(skills: Folder, name: string, hash: string): Promise<void> {
  const now = (await contentOf(subfolder(skills, checked(name)))).hash;
  if (now === "") throw await missing(skills, { name, path: MAIN });
  if (now === hash) return;
  throw new ProfileError("changed", name, "it was changed meanwhile; look at what is there now");
}

/** The whole text of its main file, as a person wrote it. */
export async function editText(skills: Folder, name: string, text: string): Promise<void> {
  const folder = subfolder(skills, checked(name));
  const lines = text.toWellFormed().replaceAll("\r\n", "\n");
  const { body, problem } = parseFrontMatter(lines);
  if (problem !== null) throw new ProfileError("broken", MAIN, problem);
  if (body.trim() === "") throw new ProfileError("empty", MAIN, "there is no text in it");
  if (Buffer.byteLength(lines) > MAX_VIEW_BYTES) {
    throw new ProfileError("too_large", MAIN, `it may have ${MAX_VIEW_BYTES} bytes`);
  }
  const before = await readText(folder, MAIN, MAX_VIEW_BYTES);
  await changeFile({ folder, name: MAIN, limit: MAX_VIEW_BYTES }, (current) => {
    if (current !== before) throw new ProfileError("changed", name, "it was changed just now");
    return { text: lines, result: undefined };
  });
}

export async function removeSkill(skills: Folder, name: string): Promise<void> {
  const removed = subfolder(skills, REMOVED);
  await ensureFolder(removed);
  const there = join(removed.path, checked(name));
  try {
    await rm(there, { recursive: true, force: true });
    await rename(join(skills.path, name), there);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw await missing(skills, { name, path: MAIN });
    throw unreadable(join(skills.path, name), error);
  }
  await sync(skills.path);
}

/** Refused when there is one of that name. */
export async function installSkill(
  skills: Folder,
  name: string,
  files: readonly PackedFile[],
): Promise<void> {
  await ensureFolder(skills);
  await sweep(skills);
  const place = subfolder(skills, checked(name));
  if (await exists(place)) throw taken(name);
  const temporary = join(skills.path, `.new-${randomUUID()}`);
  try {
    await mkdir(temporary, { mode: 0o700 });
    for (const { path, data } of files) await write(temporary, path, data);
    await rename(temporary, place.path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (errnoOf(error) === "ENOTEMPTY" || errnoOf(error) === "EEXIST") throw taken(name);
    throw unreadable(place.path, error);
  }
  await sync(skills.path);
}

/** Not executable, whatever it was: nothing of a skill is run from here. */
async function write(folder: string, path: string, data: Buffer): Promise<void> {
  const place = join(folder, ...components(path));
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  await using file = await open(place, "wx", 0o600);
  await file.writeFile(data);
  await file.sync();
}

/** What a killed process had begun. Called under the lock of all skills, so nobody is writing one now. */
async function sweep(skills: Folder): Promise<void> {
  for (const { name, kind } of await entriesOf(skills)) {
    if (kind !== "folder" || !BEGUN.test(name)) continue;
    await rm(join(skills.path, name), { recursive: true, force: true });
  }
}

async function sync(path: string): Promise<void> {
  await using directory = await open(path);
  await directory.sync().catch(() => undefined); // some file systems cannot; the files are synced
}

function taken(name: string): ProfileError {
  return new ProfileError("exists", name, "there is a skill of that name already");
}
