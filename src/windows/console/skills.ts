// Skills in the shapes of the console; the folders are the same as everywhere. The console's remote skill hub does
// not exist here, and responses say so.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { InstallSkill, type SkillDetail, type SkillRecord } from "../../features/skills/records.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";
import { skillInstall } from "../../features/skills/server/install.ts";
import { skillsAccess } from "../../features/skills/server/access.ts";
import { both, capability, ConsoleError, notHere, take } from "./envelopes.ts";
import { requireSession } from "./sessions/session-view.ts";

const Profile = { profile: z.string().min(1).max(64).optional() };
const Filter = z.looseObject({ category: z.string().max(64).optional(), ...Profile });
const Asked = z.looseObject({ path: z.string().min(1).max(1_024).optional(), ...Profile });
const Create = z.looseObject({
  name: z.string().min(1).max(64),
  description: z.string().min(1).max(1_024).optional(),
  category: z.string().min(1).max(64).nullish(),
  content: z.string().min(1).max(65_536),
  ...Profile,
});
const Load = z.looseObject({ session_id: z.string().min(1).max(300) });
const Install = z.looseObject({
  source: InstallSkill.shape.source.optional(),
  hash: InstallSkill.shape.hash.optional(),
  replaces: InstallSkill.shape.replaces,
  ...Profile,
});
const HINT = "A skill is a folder with a SKILL.md; `load` tells a session its whole text.";

export function skillPages(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    if (!deps.homeFiles) app.addHook("onRequest", notHere);
    await app.register(shelf(deps));
    await app.register(ofSessions(deps));
  };
}

function askedBy({ defaults }: AppDeps) {
  return (profile: string | undefined) => ({
    profile: profile ?? defaults.profile ?? "default",
    by: "console",
  });
}

function shelf(deps: AppDeps): FastifyPluginAsync {
  const skills = skillsAccess(deps);
  const sources = skillInstall(deps, skills);
  const of = askedBy(deps);
  return async (app) => {
    app.get("/skills", async ({ query }) => {
      const { category, profile } = take(Filter, query);
      const view = await skills.list(of(profile), category ? { category } : {});
      const emitted = view.skills.map(summary);
      const categories = view.categories.map(({ name }) => name);
      return both({ skills: emitted, categories, count: emitted.length, hint: HINT });
    });
    app.post("/skills/create", async ({ body }) => {
      const { profile, category, description, name, content } = take(Create, body);
      const about = description ?? firstLine(content);
      const draft = { name, content, description: about, ...(category && { category }) };
      return both({ skill: detail(await skills.create(of(profile), draft)), created: true });
    });
    app.get("/skills/:name", async ({ params, query }) => {
      const { path, profile } = take(Asked, query);
      const name = nameIn(params);
      if (name === "config") return capability("skills_config_unavailable", { name });
      return both({ skill: detail(await skills.view(of(profile), name, path)) });
    });
    app.post("/skills/:name/install", async ({ params, body }, reply) => {
      const { source, hash, replaces, profile } = take(Install, body);
      const name = nameIn(params);
      if (!source) return capability("skill_source_needed", { name, fields: ["source", "hash"] });
      const signal = abortOnDisconnect(reply);
      if (hash === undefined) {
        const inspection = await sources.inspect(of(profile), source, signal);
        return both({ name, installed: false, status: "inspected", inspection });
      }
      const wanted = { source, hash, name, ...(replaces && { replaces }) };
      const installed = await sources.install(of(profile), wanted, signal).catch(changed);
      return both({ name, installed: true, status: "installed", skill: detail(installed) });
    });
  };
}

function ofSessions(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  const skills = skillsAccess(deps);
  const of = askedBy(deps);
  return async (app) => {
    app.get("/skills/session/:sessionId", async (request) => {
      const session = await requireSession(journal, request);
      const { session_id } = session;
      const { skills: all } = await skills.ofSession(session);
      const loaded = all.filter(({ state }) => state === "loaded");
      return both({ session_id, skills: loaded, count: loaded.length, all });
    });
    app.delete("/skills/session/:sessionId/:name", async (request) => {
      const { session_id } = await requireSession(journal, request);
      const name = nameIn(request.params);
      await journal.homeFiles.setSkill(session_id, { name, state: "offered" });
      return both({ session_id, name, unloaded: true });
    });
    app.post("/skills/:name/load", async ({ params, body }) => {
      const { session_id } = take(Load, body);
      const session = await requireSession(journal, { params: { sessionId: session_id } });
      const name = nameIn(params);
      await skills.view(of(session.profile), name); // one that is not there is not loaded
      await journal.homeFiles.setSkill(session_id, { name, state: "loaded" });
      return both({ session_id, name, loaded: true });
    });
  };
}

function changed(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
  throw new ConsoleError("skill_conflict", error.message, error.details as never);
}

function nameIn(params: unknown): string {
  return (params as { name: string }).name;
}

function firstLine(content: string): string {
  const lines = content.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  return (lines.find(Boolean) ?? "A skill").slice(0, 1_024);
}

function summary(skill: SkillRecord) {
  const installed = skill.source !== null;
  return {
    ...skill,
    source_type: installed ? "installed" : "local",
    trust_level: installed ? (skill.modified ? "modified" : "pinned") : "local",
    enabled: skill.problem === null,
  };
}

function detail({ skill, content, path, files }: SkillDetail) {
  return { ...summary(skill), content, path, linked_files: files };
}
