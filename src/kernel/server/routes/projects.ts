// Native API: projects.
import type { FastifyPluginAsync } from "fastify";
import { CreateProject, UpdateProject } from "../../events/commands.ts";
import { ApiError, parse } from "../../events/errors.ts";
import { ProjectId } from "../../events/ids.ts";
import type { AppDeps } from "../app.ts";
import { data, noSession, sendOutcome, sessionIdOf } from "./replies.ts";

export function projectRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/projects", async () => data({ projects: await journal.reads.projects() }));

    app.post("/projects", async ({ body }, reply) => {
      const outcome = await journal.commands.createProject(parse(CreateProject, body ?? {}));
      return sendOutcome(reply, outcome, noProject(""));
    });

    app.get("/projects/:projectId", async ({ params }) => {
      const projectId = projectIdOf(params);
      const project = await journal.reads.project(projectId);
      if (!project) throw new ApiError("not_found", noProject(projectId).message);
      return data(project);
    });

    app.post("/projects/:projectId", async ({ params, body }, reply) => {
      const projectId = projectIdOf(params);
      const outcome = await journal.commands.updateProject(
        projectId,
        parse(UpdateProject, body ?? {}),
      );
      return sendOutcome(reply, outcome, noProject(projectId));
    });

    app.post("/projects/:projectId/delete", async ({ params }, reply) => {
      const projectId = projectIdOf(params);
      return sendOutcome(
        reply,
        await journal.commands.deleteProject(projectId),
        noProject(projectId),
      );
    });

    app.get("/sessions/:sessionId/rules", async ({ params }) => {
      const sessionId = sessionIdOf(params);
      if (await journal.reads.session(sessionId))
        return data({ rules: await journal.reads.rules(sessionId) });
      throw new ApiError("session_not_found", noSession(sessionId).message);
    });
  };
}

function projectIdOf(params: unknown): string {
  return parse(ProjectId, (params as { projectId: string }).projectId);
}

function noProject(projectId: string) {
  return { code: "not_found", message: `There is no project ${projectId}.` } as const;
}
