// Native API: skills of profiles, where they may come from, and what sessions do with them.
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { noSession, requireFound } from "../../../kernel/server/routes/replies.ts";
import { abortOnDisconnect } from "../../../kernel/server/disconnect.ts";
import { skillsApi } from "../api.ts";
import { skillInstall } from "./install.ts";
import { skillsAccess } from "./access.ts";

export function skillRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  const skills = skillsAccess(deps);
  const sources = skillInstall(deps, skills);
  const by = "person";
  return mount(skillsApi, {
    listSkills: ({ params: { profile }, query }) => skills.list({ profile, by }, query),
    createSkill: ({ params: { profile }, body }) => skills.create({ profile, by }, body),
    getSkill: ({ params: { profile, name }, query }) =>
      skills.view({ profile, by }, name, query.path),
    editSkill: ({ params: { profile, name }, body }) => skills.edit({ profile, by }, name, body),
    removeSkill: ({ params: { profile, name }, body }) =>
      skills.remove({ profile, by }, name, body.hash),
    inspectSkill: ({ params: { profile }, body, reply }) =>
      sources.inspect({ profile, by }, body.source, abortOnDisconnect(reply)),
    installSkill: ({ params: { profile }, body, reply }) =>
      sources.install({ profile, by }, body, abortOnDisconnect(reply)),
    getSessionSkills: async ({ params: { sessionId } }) =>
      skills.ofSession(requireFound(await journal.reads.session(sessionId), noSession(sessionId))),
    setSessionSkill: async ({ params: { sessionId }, body }) =>
      requireFound(await journal.homeFiles.setSkill(sessionId, body), noSession(sessionId)),
  });
}
