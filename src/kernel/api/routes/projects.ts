// The endpoints of projects.
import { CreateProject, UpdateProject } from "../../events/commands.ts";
import { ProjectId } from "../../events/ids.ts";
import { get, post } from "../endpoint.ts";
import { ProjectRecord, ProjectsView } from "../records/records.ts";

const BY_PROJECT = { projectId: ProjectId.describe("The project's id.") };
const NO_PROJECT = ["not_found"] as const;

export const projectsApi = {
  listProjects: get("/api/projects", {
    tag: "projects",
    summary: "All projects, the oldest first.",
    response: ProjectsView,
  }),
  createProject: post("/api/projects", {
    tag: "projects",
    summary: "Make a project.",
    response: "outcome",
    body: CreateProject,
  }),
  getProject: get("/api/projects/{projectId}", {
    params: BY_PROJECT,
    tag: "projects",
    summary: "A project.",
    response: ProjectRecord,
    errors: NO_PROJECT,
  }),
  updateProject: post("/api/projects/{projectId}", {
    params: BY_PROJECT,
    tag: "projects",
    summary: "Change a project: what is left out stays.",
    response: "outcome",
    body: UpdateProject,
    errors: NO_PROJECT,
  }),
  deleteProject: post("/api/projects/{projectId}/delete", {
    params: BY_PROJECT,
    tag: "projects",
    summary: "Delete a project. Its sessions stay.",
    response: "outcome",
    errors: NO_PROJECT,
  }),
};
