// The calls for skills: of profiles, of sessions, and from elsewhere.
import type {
  CreateSkill,
  InstallSkill,
  SessionSkillsView,
  SkillDetail,
  SkillInspection,
  SkillSource,
  SkillsView,
} from "./records.ts";
import type { Outcome, SetSkill } from "../../kernel/events/commands.ts";
import type { Calls } from "../../kernel/client/api.ts";

export function skillsCalls({ get, post }: Calls) {
  const of = (profile: string) => `/api/profiles/${encodeURIComponent(profile)}`;
  const one = (profile: string, name: string) =>
    `${of(profile)}/skills/${encodeURIComponent(name)}`;
  const session = (sessionId: string) => `/api/sessions/${encodeURIComponent(sessionId)}/skills`;
  return {
    skills: (profile: string, signal?: AbortSignal) =>
      get<SkillsView>(`${of(profile)}/skills`, signal),
    skill: (profile: string, name: string, signal?: AbortSignal) =>
      get<SkillDetail>(one(profile, name), signal),
    skillFile: (profile: string, name: string, path: string, signal?: AbortSignal) =>
      get<SkillDetail>(`${one(profile, name)}?path=${encodeURIComponent(path)}`, signal),
    create: (profile: string, draft: CreateSkill) =>
      post<SkillDetail>(`${of(profile)}/skills`, draft),
    edit: (profile: string, name: string, body: { content: string; hash: string }) =>
      post<SkillDetail>(one(profile, name), body),
    remove: (profile: string, name: string, hash: string) =>
      post<SkillsView>(`${one(profile, name)}/remove`, { hash }),
    inspect: (profile: string, source: SkillSource) =>
      post<SkillInspection>(`${of(profile)}/skill-sources/inspect`, { source }),
    install: (profile: string, body: InstallSkill) =>
      post<SkillDetail>(`${of(profile)}/skill-sources/install`, body),
    ofSession: (sessionId: string, signal?: AbortSignal) =>
      get<SessionSkillsView>(session(sessionId), signal),
    setSkill: (sessionId: string, body: SetSkill) => post<Outcome>(session(sessionId), body),
  };
}
