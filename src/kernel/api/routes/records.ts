// The routes of what was changed, used and said, and of projects.
import { get, NO_RUN, NO_SESSION, post, type ApiRoute } from "../api-route.ts";

const NO_PROJECT = ["not_found"] as const;

export const RECORD_ROUTES: readonly ApiRoute[] = [
  get("/api/runs/{runId}/changes", {
    id: "runChanges",
    tag: "files",
    summary: "What the run and its subagents changed.",
    answer: { data: "ChangesView" },
    errors: NO_RUN,
  }),
  get("/api/runs/{runId}/diff", {
    id: "runDiff",
    tag: "files",
    summary: "The same as a unified diff, of all of it or of one call.",
    answer: { data: "DiffView" },
    query: ["checkpoint_id", "until"],
    errors: NO_RUN,
  }),
  get("/api/runs/{runId}/spent", {
    id: "runSpent",
    tag: "runs",
    summary: "What the run and its subagents have used.",
    answer: { data: "SpentRecord" },
    errors: NO_RUN,
  }),
  get("/api/sessions/{sessionId}/changes", {
    id: "sessionChanges",
    tag: "files",
    summary: "What the session's runs changed.",
    answer: { data: "ChangesView" },
    errors: NO_SESSION,
  }),
  get("/api/sessions/{sessionId}/diff", {
    id: "sessionDiff",
    tag: "files",
    summary: "The same as a unified diff.",
    answer: { data: "DiffView" },
    query: ["checkpoint_id", "until"],
    errors: NO_SESSION,
  }),
  get("/api/sessions/{sessionId}/rules", {
    id: "sessionRules",
    tag: "sessions",
    summary: "What people allowed and forbade beforehand.",
    answer: { data: "RulesView" },
    errors: NO_SESSION,
  }),
  get("/api/search", {
    id: "search",
    tag: "sessions",
    summary:
      "Find what was said, what tools did, files and errors: the newest hits, the best first.",
    answer: { data: "SearchView" },
    query: [
      ...(["q", "kind", "role", "tool", "session", "profile", "workspace", "project"] as const),
      ...(["since", "until", "group", "limit", "cursor"] as const),
    ],
    errors: ["invalid_request"],
  }),
  get("/api/models", {
    id: "listModels",
    tag: "status",
    summary: "Which models can be used now, found servers included.",
    answer: { data: "ModelsView" },
  }),
  get("/api/profiles", {
    id: "listProfiles",
    tag: "status",
    summary: "The profiles there are.",
    answer: { data: "ProfilesView" },
  }),
  get("/api/projects", {
    id: "listProjects",
    tag: "projects",
    summary: "All projects, the oldest first.",
    answer: { data: "ProjectsView" },
  }),
  post("/api/projects", {
    id: "createProject",
    tag: "projects",
    summary: "Make a project.",
    answer: "outcome",
    body: "CreateProject",
  }),
  get("/api/projects/{projectId}", {
    id: "getProject",
    tag: "projects",
    summary: "A project.",
    answer: { data: "ProjectRecord" },
    errors: NO_PROJECT,
  }),
  post("/api/projects/{projectId}", {
    id: "updateProject",
    tag: "projects",
    summary: "Change a project: what is left out stays.",
    answer: "outcome",
    body: "UpdateProject",
    errors: NO_PROJECT,
  }),
  post("/api/projects/{projectId}/delete", {
    id: "deleteProject",
    tag: "projects",
    summary: "Delete a project. Its sessions stay.",
    answer: "outcome",
    errors: NO_PROJECT,
  }),
];
