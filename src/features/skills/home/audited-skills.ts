// The skills of a profile as everybody uses them: every change says who made it, and what nobody said is noticed
// when they are next listed. One lock for all of them keeps a change and its note together.
import { basename, dirname, relative } from "node:path";
import type { HomeNote, HomeSighting, SkillAction } from "../../../kernel/events/home-notes.ts";
import { homeId } from "../../../kernel/home/home-id.ts";
import { lock } from "../../../kernel/home/lock.ts";
import type { AuditOptions } from "../../../kernel/home/home-notes.ts";
import { ProfileError } from "../../../kernel/home/profile/error.ts";
import {
  ensureFolder,
  exists,
  profileFolder,
  subfolder,
  type Folder,
} from "../../../kernel/home/profile/files.ts";
import type { Profile } from "../../../kernel/home/profile.ts";
import { editText, expectContent, installSkill, removeSkill } from "./changes.ts";
import { contentOf, type SkillContent } from "./content.ts";
import type { PackedFile } from "./package.ts";
import {
  checked,
  compose,
  MAIN,
  openSkills,
  type SavedSkill,
  type Skill,
  type SkillDraft,
  type SkillStore,
  type SkillView,
} from "./skills.ts";

export type ListedSkill = Skill & {
  readonly hash: string;
  readonly files: number;
  readonly bytes: number;
  readonly note: HomeNote | null; // who changed it last
  readonly modified: boolean; // not what was installed any more
};
export type FullSkill = SkillView & Omit<ListedSkill, "files">;
export type InstallOptions = {
  readonly source: string;
  /** The content of the one that goes for it. */
  readonly replaces?: string | undefined;
};

/** Everything throws a ProfileError that says what to do. */
export type AuditedSkills = Pick<SkillStore, "save"> & {
  list(): Promise<ListedSkill[]>;
  view(name: string, path?: string): Promise<FullSkill>;
  create(draft: SkillDraft): Promise<void>;
  /** `hash`: of the skill as it was when it was read. */
  edit(name: string, change: { text: string; hash: string }): Promise<void>;
  remove(name: string, hash: string): Promise<void>;
  install(name: string, files: readonly PackedFile[], options: InstallOptions): Promise<void>;
};

export function openAuditedSkills(
  profile: Pick<Profile, "directory">,
  audit: AuditOptions,
): AuditedSkills {
  const skills = skillsFolder(profile);
  const store = openSkills(profile);
  const { change, list } = noted(profile, audit);
  return {
    list,
    async view(name, path) {
      const view = await store.view(name, path);
      const skill = (await list()).find((one) => one.name === name);
      if (!skill) throw new ProfileError("unknown_skill", name, "there is no such skill");
      const { files: _count, ...rest } = skill;
      return { ...rest, ...view };
    },
    save: (draft) => change<SavedSkill>(draft.name, { action: "edited" }, () => store.save(draft)),
    create: (draft) =>
      change(draft.name, { action: "created" }, async () => {
        const data = Buffer.from(compose(draft));
        await installSkill(skills, draft.name, [{ path: MAIN, data, executable: false }]);
      }),
    edit: (name, { text, hash }) =>
      change(name, { action: "edited" }, async () => {
        await expectContent(skills, name, hash);
        await editText(skills, name, text);
      }),
    remove: (name, hash) =>
      change(name, { action: "removed" }, async () => {
        await expectContent(skills, name, hash);
        await removeSkill(skills, name);
      }),
    install: (name, files, { source, replaces }) =>
      change(name, { action: "installed", source }, async () => {
        if (replaces !== undefined && (await exists(subfolder(skills, name)))) {
          await expectContent(skills, name, replaces);
          await removeSkill(skills, name);
        }
        await installSkill(skills, name, files);
      }),
  };
}

function skillsFolder({ directory }: Pick<Profile, "directory">): Folder {
  return subfolder(profileFolder(directory), "skills");
}

type Made = { readonly action: SkillAction; readonly source?: string };

/** Compares what is there with what was noted of it. */
function noted({ directory }: Pick<Profile, "directory">, { notes, by }: AuditOptions) {
  const skills = skillsFolder({ directory });
  const store = openSkills({ directory });
  const hashOf = async (name: string) => (await contentOf(subfolder(skills, name))).hash;
  const about = async () => ({
    home: await homeId(dirname(directory)),
    kind: "skill" as const,
    profile: basename(directory),
  });
  const alone = async () => {
    await ensureFolder(skills);
    return lock({ folder: skills.root, what: relative(skills.root, skills.path) });
  };
  /** Looks again while nobody else can change them: a change is noted after it was made. */
  const notice = async (names: readonly string[]) => {
    using _lock = await alone();
    const subject = await about();
    const seen = names.map(async (name) => ({ ...subject, name, found: await hashOf(name) }));
    await notes.noteHome(await Promise.all(seen));
  };
  const look = async () => {
    const found = await store.list();
    const contents = await Promise.all(
      found.map(({ name }) => safely(contentOf(subfolder(skills, name)))),
    );
    const known = new Map((await notes.homeNotes(await about())).map((note) => [note.name, note]));
    const list = found.map((skill, at) => described(skill, contents[at] ?? NOTHING, known));
    const gone = [...known.values()].filter(
      ({ name, hash }) => hash !== "" && !found.some((skill) => skill.name === name),
    );
    const news = list.filter(({ note, hash }) => (note?.hash ?? "") !== hash);
    return { list, unnoted: [...news, ...gone].map(({ name }) => name) };
  };

  return {
    list: async () => {
      const { list, unnoted } = await look();
      if (unnoted.length === 0) return list;
      await notice(unnoted);
      return (await look()).list;
    },
    change: async <Result>(name: string, made: Made, work: () => Promise<Result>) => {
      checked(name);
      using _lock = await alone();
      const found = await hashOf(name);
      const result = await work();
      const hash = await hashOf(name);
      const sighting: HomeSighting = { ...(await about()), name, found };
      const action = made.action === "edited" && found === "" ? "created" : made.action;
      const isNews = hash !== found || action === "installed";
      const news = !isNews ? {} : { made: { by, hash, ...made, action } };
      await notes.noteHome([{ ...sighting, ...news }]);
      return result;
    },
  };
}

const NOTHING: SkillContent = { hash: "", files: [], bytes: 0 };

/** One that cannot be read is listed with its problem all the same. */
async function safely(content: Promise<SkillContent>): Promise<SkillContent> {
  try {
    return await content;
  } catch (error) {
    if (error instanceof ProfileError) return NOTHING;
    throw error;
  }
}

function described(
  skill: Skill,
  { hash, files, bytes }: SkillContent,
  noted: ReadonlyMap<string, HomeNote>,
): ListedSkill {
  const note = noted.get(skill.name) ?? null;
  const installed = note?.installed_hash ?? null;
  const modified = installed !== null && installed !== hash;
  return { ...skill, hash, files: files.length, bytes, note, modified };
}
