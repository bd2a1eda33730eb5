// Projects as records. They are the one thing a journal keeps that is not made from events.
import type { ProjectRecord } from "../../api/records/records.ts";
import type { Reads } from "../journal.ts";
import type { Row, Sql } from "../sql.ts";

export const PROJECT = "SELECT project_id, body, created_at, updated_at FROM projects";

export function projectReads(sql: Sql): Pick<Reads, "projects" | "project"> {
  return {
    async projects() {
      const rows = await sql.all(`${PROJECT} ORDER BY created_at, project_id`);
      return rows.map(toProject);
    },
    async project(projectId) {
      const row = await sql.get(`${PROJECT} WHERE project_id = ?`, projectId);
      return row && toProject(row);
    },
  };
}

export function toProject({ project_id, body, created_at, updated_at }: Row): ProjectRecord {
  const kept = JSON.parse(body as string) as Omit<ProjectRecord, "project_id">;
  return { ...kept, project_id, created_at, updated_at } as ProjectRecord;
}
