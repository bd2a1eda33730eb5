// A project as commands see it, and what a run is given of it.
import type { ProjectRecord } from "../../api/records/records.ts";
import type { ProjectContext } from "../../events/catalogue/lifecycle.ts";
import { ApiError } from "../../events/errors.ts";
import { PROJECT, toProject } from "./project-reads.ts";
import type { Tx } from "../transaction.ts";

export async function findProject(tx: Tx, projectId: string): Promise<ProjectRecord | undefined> {
  const row = await tx.get(`${PROJECT} WHERE project_id = ?`, projectId);
  return row && toProject(row);
}

/** For commands that name a project: it must exist. */
export async function requireProject(tx: Tx, projectId: string): Promise<ProjectRecord> {
  const found = await findProject(tx, projectId);
  if (found) return found;
  throw new ApiError("invalid_request", `project_id: there is no project ${projectId}`);
}

export function contextOf(project: ProjectRecord | undefined): ProjectContext | null {
  if (!project) return null;
  const { project_id, name, instructions, metadata } = project;
  return { project_id, name, instructions, metadata };
}
