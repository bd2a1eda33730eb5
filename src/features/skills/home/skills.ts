// What a profile knows how to do: folders with a SKILL.md and whatever files it speaks of. People and
// agents write them alike; nothing is read from or written to outside the skill's own folder.
import { join } from "node:path";
import { SKILL_BACKUP, SKILL_LIMITS } from "../../../kernel/events/skill-limits.ts";
import type { Profile } from "../../../kernel/home/profile.ts";
import { ProfileError } from "../../../kernel/home/profile/error.ts";
import {
  components,
  entriesOf,
  NAME,
  NAME_RULE,
  profileFolder,
  readBytes,
  readText,
  subfolder,
  type Folder,
} from "../../../kernel/home/profile/files.ts";
import { parseFrontMatter } from "../../../kernel/home/front-matter.ts";
import { plain, plainLine } from "../../../kernel/home/plain-text.ts";
import { changeFile } from "../../../kernel/home/replace-file.ts";

export const MAIN = "SKILL.md";
export const MAX_VIEW_BYTES = 65_536;
const MAX_SAVE_BYTES = 32_768;
const MAX_SKILLS = 200;
const MAX_FILES = SKILL_LIMITS.files;
const MAX_DEPTH = SKILL_LIMITS.depth;
const MAX_DESCRIPTION = 1_024;
const MAX_CATEGORY = 64;

export type Skill = {
  readonly name: string; // of its folder
  readonly description: string;
  readonly category: string | null;
  readonly problem: string | null; // why it cannot be used; such a skill is listed all the same
};
export type SkillView = {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  readonly bytes: number; // of what is shown
  readonly truncated: boolean;
  readonly files: readonly string[]; // the others of its folder
};
export type SkillDraft = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly category?: string | undefined;
  readonly content: string;
};
export type SavedSkill = {
  readonly name: string;
  readonly bytes: number;
  readonly created: boolean;
  readonly changed: boolean;
};

/** Everything throws a ProfileError that says what to do. */
export type SkillStore = {
  list(): Promise<Skill[]>;
  view(name: string, path?: string): Promise<SkillView>;
  /** What was there before is kept beside it, as SKILL.md.bak. Saving the same again changes nothing. */
  save(draft: SkillDraft): Promise<SavedSkill>;
};

export function openSkills({ directory }: Pick<Profile, "directory">): SkillStore {
  const skills = subfolder(profileFolder(directory), "skills");
  return {
    async list() {
      const found = (await entriesOf(skills)).filter(
        ({ name, kind }) => kind !== "file" && !name.startsWith("."),
      );
      return Promise.all(found.slice(0, MAX_SKILLS).map(({ name }) => describe(skills, name)));
    },
    async view(name, path = MAIN) {
      const folder = subfolder(skills, checked(name));
      const wanted = components(path).join("/");
      const bytes = await readBytes(folder, wanted, MAX_VIEW_BYTES + 1);
      if (!bytes) throw await missing(skills, { name, path });
      const shown = bytes.subarray(0, MAX_VIEW_BYTES);
      if (shown.includes(0)) {
        throw new ProfileError("not_text", join(folder.path, wanted), "it is not text");
      }
      const truncated = bytes.length > MAX_VIEW_BYTES;
      const files = await filesOf(folder);
      const content = shown.toString("utf8");
      return { name, path: wanted, content, bytes: shown.length, truncated, files };
    },
    save: async (draft) => save(subfolder(skills, checked(draft.name)), draft),
  };
}

async function describe(skills: Folder, name: string): Promise<Skill> {
  const broken = (problem: string): Skill => ({
    name: plainLine(name, 80),
    description: "",
    category: null,
    problem,
  });
  if (!NAME.test(name)) return broken(`the folder's name is not allowed: use ${NAME_RULE}`);
  try {
    const text = await readText(subfolder(skills, name), MAIN, MAX_VIEW_BYTES);
    if (text === undefined) return broken(`it has no ${MAIN}`);
    const { fields, body, problem } = parseFrontMatter(text);
    const description = fields["description"] ?? firstSentence(body);
    const category = plainLine(fields["category"] ?? "", MAX_CATEGORY) || null;
    return { name, description: plainLine(description, MAX_DESCRIPTION), category, problem };
  } catch (error) {
    if (error instanceof ProfileError) return broken(error.problem);
    throw error;
  }
}

function firstSentence(body: string): string {
  const lines = body.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !/^(#|```|---)/.test(line)) ?? "";
}

async function save(folder: Folder, draft: SkillDraft): Promise<SavedSkill> {
  const { name } = draft;
  const before = await readText(folder, MAIN, MAX_VIEW_BYTES);
  const { category = parseFrontMatter(before ?? "").fields["category"] } = draft;
  const text = compose({ ...draft, category });
  const bytes = Buffer.byteLength(text);
  const path = join(folder.path, MAIN);
  if (bytes > MAX_SAVE_BYTES) {
    throw new ProfileError("too_large", path, `a skill may have ${MAX_SAVE_BYTES} bytes`);
  }
  if (before === text) return { name, bytes, created: false, changed: false };
  if (before !== undefined) {
    const backup = { folder, name: SKILL_BACKUP, limit: MAX_VIEW_BYTES };
    await changeFile(backup, () => ({ text: before, result: undefined }));
  }
  return changeFile({ folder, name: MAIN, limit: MAX_VIEW_BYTES }, (current) => {
    if (current !== before) {
      throw new ProfileError("busy", path, "it was changed just now; look at it and save again");
    }
    return { text, result: { name, bytes, created: before === undefined, changed: true } };
  });
}

export function compose({ name, description, category, content }: SkillDraft): string {
  const { fields, body, problem } = parseFrontMatter(plain(content));
  if (problem !== null) throw new ProfileError("broken", MAIN, problem);
  const about = plainLine(description ?? fields["description"] ?? "", MAX_DESCRIPTION);
  if (about === "") throw new ProfileError("empty", MAIN, "say in `description` what it is for");
  if (body.trim() === "") throw new ProfileError("empty", MAIN, "there is no `content`");
  const kind = plainLine(category ?? fields["category"] ?? "", MAX_CATEGORY);
  const more = kind === "" ? "" : `\ncategory: ${JSON.stringify(kind)}`;
  return `---\nname: ${name}\ndescription: ${JSON.stringify(about)}${more}\n---\n\n${body.trim()}\n`;
}

/** Paths below the skill's folder, links left out. */
async function filesOf(folder: Folder, prefix = "", depth = 1): Promise<string[]> {
  const files: string[] = [];
  for (const { name, kind } of await entriesOf(folder)) {
    if (files.length >= MAX_FILES) break;
    if (name.startsWith(".") || `${prefix}${name}` === MAIN) continue;
    if (kind === "file") files.push(`${prefix}${plainLine(name, 255)}`);
    if (kind === "folder" && depth < MAX_DEPTH) {
      files.push(...(await filesOf(subfolder(folder, name), `${prefix}${name}/`, depth + 1)));
    }
  }
  return files.slice(0, MAX_FILES);
}

export function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new ProfileError("invalid_name", JSON.stringify(name.slice(0, 80)), `use ${NAME_RULE}`);
}

export async function missing(
  skills: Folder,
  { name, path }: { name: string; path: string },
): Promise<ProfileError> {
  const names = (await entriesOf(skills)).map((entry) => entry.name);
  if (names.includes(name)) {
    return new ProfileError("not_found", `${name}/${path}`, "there is no such file in this skill");
  }
  return new ProfileError("unknown_skill", name, "there is no such skill; list them first");
}
