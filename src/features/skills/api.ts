// The routes of a profile's skills, and of what a session does with them.
import { get, NO_SESSION, post, type ApiRoute } from "../../kernel/api/api-route.ts";

const FILE = ["invalid_request", "not_found", "forbidden", "unavailable"] as const;
const CHANGE = [...FILE, "conflict", "too_large"] as const;
const SOURCE = [...CHANGE, "blob_not_found", "rate_limited"] as const;

export const SKILL_ROUTES: readonly ApiRoute[] = [
  get("/api/profiles/{profile}/skills", {
    id: "listSkills",
    tag: "house",
    summary: "A profile's skills, in folders of this server's machine.",
    answer: { data: "SkillsView" },
    query: ["category", "words"],
    errors: FILE,
  }),
  post("/api/profiles/{profile}/skills", {
    id: "createSkill",
    tag: "house",
    summary: "Write a new skill.",
    body: "CreateSkill",
    answer: { data: "SkillDetail" },
    errors: CHANGE,
  }),
  get("/api/profiles/{profile}/skills/{name}", {
    id: "getSkill",
    tag: "house",
    summary: "A skill with its text, or another file of it.",
    answer: { data: "SkillDetail" },
    query: ["path"],
    errors: [...FILE, "too_large"],
  }),
  post("/api/profiles/{profile}/skills/{name}", {
    id: "editSkill",
    tag: "house",
    summary: "Another text for a skill, unless it was changed since it was read.",
    body: "EditSkill",
    answer: { data: "SkillDetail" },
    errors: CHANGE,
  }),
  post("/api/profiles/{profile}/skills/{name}/remove", {
    id: "removeSkill",
    tag: "house",
    summary: "Take a skill away; it is kept hidden until the next one of its name goes.",
    body: "RemoveSkill",
    answer: { data: "SkillsView" },
    errors: CHANGE,
  }),
  post("/api/profiles/{profile}/skill-sources/inspect", {
    id: "inspectSkill",
    tag: "house",
    summary: "What is in a skill elsewhere, and its hash. Nothing is written or run.",
    body: "InspectSkill",
    answer: { data: "SkillInspection" },
    errors: SOURCE,
  }),
  post("/api/profiles/{profile}/skill-sources/install", {
    id: "installSkill",
    tag: "house",
    summary: "Install what was inspected; a source that changed since is refused.",
    body: "InstallSkill",
    answer: { data: "SkillDetail" },
    errors: SOURCE,
  }),
  get("/api/sessions/{sessionId}/skills", {
    id: "getSessionSkills",
    tag: "sessions",
    summary: "What a session does with each skill of its profile.",
    answer: { data: "SessionSkillsView" },
    errors: [...NO_SESSION, "not_found", "unavailable"],
  }),
  post("/api/sessions/{sessionId}/skills", {
    id: "setSessionSkill",
    tag: "sessions",
    summary: "Load a skill for the session, switch it off, or offer it as any other.",
    body: "SetSkill",
    answer: "outcome",
    errors: NO_SESSION,
  }),
];
