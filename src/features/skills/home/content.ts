// What is in a skill's folder, as one hash: by it an installed skill is trusted, and an edit is seen. A file that did
// not change is not read again.
import { hash } from "node:crypto";
import { join } from "node:path";
import { isLeftOutOfSkill, SKILL_LIMITS } from "../../../kernel/events/skill-limits.ts";
import {
  entriesOf,
  readBytes,
  subfolder,
  versionOf,
  type Folder,
} from "../../../kernel/home/profile/files.ts";

export type SkillFile = { readonly path: string; readonly bytes: number; readonly sha256: string };
export type SkillContent = {
  readonly hash: string; // empty: there is no such folder, or nothing in it
  readonly files: readonly SkillFile[];
  readonly bytes: number;
};

const MAX_KNOWN = 5_000;
const known = new Map<string, { version: string; sha256: string; bytes: number }>();

export function contentHash(files: readonly Omit<SkillFile, "bytes">[]): string {
  if (files.length === 0) return "";
  const lines = files.map(({ path, sha256 }) => `${sha256} ${path}\n`);
  return hash("sha256", lines.toSorted().join(""));
}

/** Links and what is not a file are no content; a skill that holds too much has only its first files counted. */
export async function contentOf(folder: Folder): Promise<SkillContent> {
  const files = await filesIn(folder, "", 1);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { hash: contentHash(files), files, bytes };
}

async function filesIn(folder: Folder, prefix: string, depth: number): Promise<SkillFile[]> {
  const files: SkillFile[] = [];
  for (const { name, kind } of await entriesOf(folder)) {
    const path = `${prefix}${name}`;
    if (isLeftOutOfSkill(path) || files.length >= SKILL_LIMITS.files) continue;
    if (kind === "file") files.push({ path, ...(await seen(folder, name)) });
    if (kind === "folder" && depth < SKILL_LIMITS.depth) {
      files.push(...(await filesIn(subfolder(folder, name), `${path}/`, depth + 1)));
    }
  }
  return files.slice(0, SKILL_LIMITS.files);
}

async function seen(folder: Folder, name: string): Promise<{ bytes: number; sha256: string }> {
  const path = join(folder.path, name);
  const version = (await versionOf(folder, name)) ?? "";
  const before = known.get(path);
  if (before?.version === version) return { bytes: before.bytes, sha256: before.sha256 };
  const data = (await readBytes(folder, name, SKILL_LIMITS.fileBytes + 1)) ?? Buffer.alloc(0);
  const content = { bytes: data.length, sha256: hash("sha256", data) };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, { version, ...content });
  return content;
}
