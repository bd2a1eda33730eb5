// A profile's skills, for every window that shows or changes them.
import { openAuditedSkills, type ListedSkill, type AuditedSkills } from "../home/audited-skills.ts";
import type { Profile } from "../../../kernel/home/profile.ts";
import type { SkillUse, Journal } from "../../../kernel/journal/journal.ts";
import type {
  CreateSkill,
  SessionSkillsView,
  SkillDetail,
  SkillRecord,
  SkillsView,
} from "../records.ts";
import type { SessionRecord } from "../../../kernel/api/records/records.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { profileOf, refusing, type HomeAccess } from "../../../kernel/server/home-access.ts";

export type SkillsAsked = { readonly profile: string; readonly by: string };
export type SkillFilter = {
  readonly category?: string | undefined;
  readonly words?: string | undefined;
};
type Opened = { readonly profile: Profile; readonly store: AuditedSkills };

export type SkillsAccess = ReturnType<typeof skillsAccess>;

export function skillsAccess({
  journal,
  homeFiles,
}: {
  journal: Journal;
  homeFiles?: HomeAccess | undefined;
}) {
  const open = async ({ profile: name, by }: SkillsAsked): Promise<Opened> => {
    const profile = await profileOf(homeFiles, name);
    return { profile, store: openAuditedSkills(profile, { notes: journal.homeFiles, by }) };
  };
  const usesOf = async ({ profile }: SkillsAsked) =>
    new Map((await journal.homeFiles.skillUses(profile)).map((use) => [use.name, use]));

  const list = (asked: SkillsAsked, filter: SkillFilter = {}): Promise<SkillsView> =>
    refusing(async () => {
      const { profile, store } = await open(asked);
      const uses = await usesOf(asked);
      const all = (await store.list()).map((skill) => recordOf(skill, uses.get(skill.name)));
      const skills = all.filter((skill) => fits(skill, filter));
      return { profile: profile.name, skills, categories: categoriesOf(all) };
    });
  const view = (asked: SkillsAsked, name: string, path?: string): Promise<SkillDetail> =>
    refusing(async () => {
      const { store } = await open(asked);
      const { skills } = await list(asked);
      const { content, truncated, files, path: shown } = await store.view(name, path);
      const skill = skills.find((one) => one.name === name);
      if (!skill) throw new ApiError("not_found", `There is no skill ${name}.`);
      return { skill, path: shown, content, truncated, files: [...files] };
    });
  /** What is there afterwards. */
  const change = (asked: SkillsAsked, name: string, work: (opened: Opened) => Promise<void>) =>
    refusing(async () => {
      await work(await open(asked));
      return view(asked, name);
    });

  return {
    list,
    view,
    change,
    create: (asked: SkillsAsked, draft: CreateSkill) =>
      change(asked, draft.name, ({ store }) => store.create(draft)),
    edit: (
      asked: SkillsAsked,
      name: string,
      { content, hash }: { content: string; hash: string },
    ) => change(asked, name, ({ store }) => store.edit(name, { text: content, hash })),
    remove: (asked: SkillsAsked, name: string, hash: string): Promise<SkillsView> =>
      refusing(async () => {
        const { store } = await open(asked);
        await store.remove(name, hash);
        return list(asked);
      }),
    ofSession: async (session: Pick<SessionRecord, "session_id" | "profile">) => {
      const { skills } = await list({ profile: session.profile, by: "house" });
      const states = await journal.homeFiles.sessionSkills(session.session_id);
      return sessionView(session, skills, states ?? {});
    },
  };
}

function recordOf({ note, ...skill }: ListedSkill, use: SkillUse | undefined): SkillRecord {
  return {
    ...skill,
    source: note?.source ?? null,
    installed_hash: note?.installed_hash ?? null,
    last: note && { by: note.by, at: note.at, action: note.action },
    uses: use?.uses ?? 0,
    last_used_at: use?.last_at ?? null,
  };
}

function fits({ name, description, category }: SkillRecord, asked: SkillFilter): boolean {
  if (asked.category !== undefined && category !== asked.category) return false;
  const text = `${name} ${description}`.toLowerCase();
  const words = (asked.words ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.includes(word));
}

function categoriesOf(skills: readonly SkillRecord[]): SkillsView["categories"] {
  const named = skills.filter(({ category }) => category !== null);
  const groups = Map.groupBy(named, ({ category }) => category ?? "");
  return [...groups]
    .map(([name, of]) => ({ name, count: of.length }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function sessionView(
  { session_id, profile }: Pick<SessionRecord, "session_id" | "profile">,
  skills: readonly SkillRecord[],
  states: Readonly<Record<string, "loaded" | "off">>,
): SessionSkillsView {
  const stateOf = (name: string) => (Object.hasOwn(states, name) ? states[name] : undefined);
  const known = skills.map(({ name, description, category }) => ({
    name,
    description,
    category,
    state: stateOf(name) ?? ("offered" as const),
    missing: false,
  }));
  const gone = Object.entries(states)
    .filter(([name]) => !skills.some((skill) => skill.name === name))
    .map(([name, state]) => ({ name, description: "", category: null, state, missing: true }));
  return { session_id, profile, skills: [...known, ...gone] };
}
