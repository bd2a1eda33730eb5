// The endpoints of a profile's skills, and of what a session does with them.
import { z } from "zod";
import {
  CreateSkill,
  EditSkill,
  InspectSkill,
  InstallSkill,
  RemoveSkill,
  SessionSkillsView,
  SkillDetail,
  SkillInspection,
  SkillsView,
} from "./records.ts";
import { SetSkill } from "../../kernel/events/commands.ts";
import { BY_PROFILE, BY_SESSION, get, NO_SESSION, post } from "../../kernel/api/endpoint.ts";

const BY_SKILL = { ...BY_PROFILE, name: z.string().describe("The skill's name.") };
const SkillFilter = z.object({
  category: z.string().max(64).optional().describe("Only those of this category."),
  words: z
    .string()
    .max(400)
    .optional()
    .describe("Only those whose name or description has all these words."),
});
const SkillFile = z.object({
  path: z.string().min(1).max(1_024).optional().describe("Relative to the skill."),
});
const FILE = ["invalid_request", "not_found", "forbidden", "unavailable"] as const;
const CHANGE = [...FILE, "conflict", "too_large"] as const;
const SOURCE = [...CHANGE, "blob_not_found", "rate_limited"] as const;

export const skillsApi = {
  listSkills: get("/api/profiles/{profile}/skills", {
    params: BY_PROFILE,
    tag: "house",
    summary: "A profile's skills, in folders of this server's machine.",
    response: SkillsView,
    query: SkillFilter,
    errors: FILE,
  }),
  createSkill: post("/api/profiles/{profile}/skills", {
    params: BY_PROFILE,
    tag: "house",
    summary: "Write a new skill.",
    body: CreateSkill,
    response: SkillDetail,
    errors: CHANGE,
  }),
  getSkill: get("/api/profiles/{profile}/skills/{name}", {
    params: BY_SKILL,
    tag: "house",
    summary: "A skill with its text, or another file of it.",
    response: SkillDetail,
    query: SkillFile,
    errors: [...FILE, "too_large"],
  }),
  editSkill: post("/api/profiles/{profile}/skills/{name}", {
    params: BY_SKILL,
    tag: "house",
    summary: "Another text for a skill, unless it was changed since it was read.",
    body: EditSkill,
    response: SkillDetail,
    errors: CHANGE,
  }),
  removeSkill: post("/api/profiles/{profile}/skills/{name}/remove", {
    params: BY_SKILL,
    tag: "house",
    summary: "Take a skill away; it is kept hidden until the next one of its name goes.",
    body: RemoveSkill,
    response: SkillsView,
    errors: CHANGE,
  }),
  inspectSkill: post("/api/profiles/{profile}/skill-sources/inspect", {
    params: BY_PROFILE,
    tag: "house",
    summary: "What is in a skill elsewhere, and its hash. Nothing is written or run.",
    body: InspectSkill,
    response: SkillInspection,
    errors: SOURCE,
  }),
  installSkill: post("/api/profiles/{profile}/skill-sources/install", {
    params: BY_PROFILE,
    tag: "house",
    summary: "Install what was inspected; a source that changed since is refused.",
    body: InstallSkill,
    response: SkillDetail,
    errors: SOURCE,
  }),
  getSessionSkills: get("/api/sessions/{sessionId}/skills", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "What a session does with each skill of its profile.",
    response: SessionSkillsView,
    errors: [...NO_SESSION, "not_found", "unavailable"],
  }),
  setSessionSkill: post("/api/sessions/{sessionId}/skills", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "Load a skill for the session, switch it off, or offer it as any other.",
    body: SetSkill,
    response: "outcome",
    errors: NO_SESSION,
  }),
};
