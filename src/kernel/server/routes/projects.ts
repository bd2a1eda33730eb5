// Native API: projects.
import type { FastifyPluginAsync } from "fastify";
import { projectsApi } from "../../api/routes/projects.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";
import { requireFound } from "./replies.ts";

export function projectRoutes({ journal: { commands, reads } }: AppDeps): FastifyPluginAsync {
  return mount(projectsApi, {
    listProjects: async () => ({ projects: await reads.projects() }),
    createProject: ({ body }) => commands.createProject(body),
    getProject: async ({ params: { projectId } }) =>
      requireFound(await reads.project(projectId), noProject(projectId)),
    updateProject: async ({ params: { projectId }, body }) =>
      requireFound(await commands.updateProject(projectId, body), noProject(projectId)),
    deleteProject: async ({ params: { projectId } }) =>
      requireFound(await commands.deleteProject(projectId), noProject(projectId)),
  });
}

function noProject(projectId: string) {
  return { code: "not_found", message: `There is no project ${projectId}.` } as const;
}
