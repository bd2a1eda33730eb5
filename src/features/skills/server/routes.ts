// Native API: skills of profiles, where they may come from, and what sessions do with them.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { CreateSkill, EditSkill, InspectSkill, InstallSkill, RemoveSkill } from "../records.ts";
import { SetSkill } from "../../../kernel/events/commands.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { whileWaitedFor } from "../../../kernel/server/workspace/workspace-params.ts";
import { skillInstall } from "./install.ts";
import { skillsAccess } from "./access.ts";
import {
  data,
  noSession,
  sendOutcome,
  sessionIdOf,
} from "../../../kernel/server/routes/replies.ts";

const Filter = z.object({
  category: z.string().max(64).optional(),
  words: z.string().max(400).optional(),
});
const File = z.object({ path: z.string().min(1).max(1_024).optional() });

export function skillRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  const skills = skillsAccess(deps);
  const sources = skillInstall(deps, skills);
  return async (app) => {
    app.get("/profiles/:profile/skills", async ({ params, query }) =>
      data(await skills.list(asked(params), parse(Filter, query))),
    );
    app.post("/profiles/:profile/skills", async ({ params, body }) =>
      data(await skills.create(asked(params), parse(CreateSkill, body))),
    );
    app.get("/profiles/:profile/skills/:name", async ({ params, query }) =>
      data(await skills.view(asked(params), nameIn(params), parse(File, query).path)),
    );
    app.post("/profiles/:profile/skills/:name", async ({ params, body }) =>
      data(await skills.edit(asked(params), nameIn(params), parse(EditSkill, body))),
    );
    app.post("/profiles/:profile/skills/:name/remove", async ({ params, body }) => {
      const { hash } = parse(RemoveSkill, body);
      return data(await skills.remove(asked(params), nameIn(params), hash));
    });
    app.post("/profiles/:profile/skill-sources/inspect", async ({ params, body }, reply) => {
      const { source } = parse(InspectSkill, body);
      return data(await sources.inspect(asked(params), source, whileWaitedFor(reply)));
    });
    app.post("/profiles/:profile/skill-sources/install", async ({ params, body }, reply) =>
      data(await sources.install(asked(params), parse(InstallSkill, body), whileWaitedFor(reply))),
    );
    app.get("/sessions/:sessionId/skills", async ({ params }) => {
      const sessionId = sessionIdOf(params);
      const session = await journal.reads.session(sessionId);
      if (!session) throw new ApiError("session_not_found", noSession(sessionId).message);
      return data(await skills.ofSession(session));
    });
    app.post("/sessions/:sessionId/skills", async ({ params, body }, reply) => {
      const sessionId = sessionIdOf(params);
      const outcome = await journal.homeFiles.setSkill(sessionId, parse(SetSkill, body));
      return sendOutcome(reply, outcome, noSession(sessionId));
    });
  };
}

function asked(params: unknown) {
  return { profile: (params as { profile: string }).profile, by: "person" };
}

function nameIn(params: unknown): string {
  return (params as { name: string }).name; // checked where skills are
}
