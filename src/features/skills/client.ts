// The calls for skills: of profiles, of sessions, and from elsewhere.
import type { skillsApi } from "./api.ts";
import type { CreateSkill, InstallSkill, SkillSource } from "./records.ts";
import type { SetSkill } from "../../kernel/events/commands.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

export function skillsCalls(calls: Calls) {
  const call = callsOf<typeof skillsApi>(calls);
  const skill = "/api/profiles/{profile}/skills/{name}";
  const sources = "/api/profiles/{profile}/skill-sources";
  return {
    skills: (profile: string, signal?: AbortSignal) =>
      call("get /api/profiles/{profile}/skills", { params: { profile } }, signal),
    skill: (profile: string, name: string, signal?: AbortSignal) =>
      call(`get ${skill}`, { params: { profile, name } }, signal),
    skillFile: (profile: string, name: string, path: string, signal?: AbortSignal) =>
      call(`get ${skill}`, { params: { profile, name }, query: { path } }, signal),
    create: (profile: string, body: CreateSkill) =>
      call("post /api/profiles/{profile}/skills", { params: { profile }, body }),
    edit: (profile: string, name: string, body: { content: string; hash: string }) =>
      call(`post ${skill}`, { params: { profile, name }, body }),
    remove: (profile: string, name: string, hash: string) =>
      call(`post ${skill}/remove`, { params: { profile, name }, body: { hash } }),
    inspect: (profile: string, source: SkillSource) =>
      call(`post ${sources}/inspect`, { params: { profile }, body: { source } }),
    install: (profile: string, body: InstallSkill) =>
      call(`post ${sources}/install`, { params: { profile }, body }),
    ofSession: (sessionId: string, signal?: AbortSignal) =>
      call("get /api/sessions/{sessionId}/skills", { params: { sessionId } }, signal),
    setSkill: (sessionId: string, body: SetSkill) =>
      call("post /api/sessions/{sessionId}/skills", { params: { sessionId }, body }),
  };
}
