// Projects as records. They are the one thing a journal keeps that is not made from events.
import type { ProjectRecord } from "../protocol/api-records.ts";
import type { Database, Row } from "./database.ts";
import type { Reads } from "./journal.ts";

export function projectReads(db: Database): Pick<Reads, "projects" | "project"> {
  return {
    async projects() {
      const sql = "SELECT * FROM projects ORDER BY created_at, project_id";
      return db.read(() => db.all(sql).map(toProject));
    },
    async project(projectId) {
      const sql = "SELECT * FROM projects WHERE project_id = ?";
      const row = await db.read(() => db.get(sql, projectId));
      return row && toProject(row);
    },
  };
}

export function toProject({ project_id, body, created_at, updated_at }: Row): ProjectRecord {
  const kept = JSON.parse(body as string) as Omit<ProjectRecord, "project_id">;
  return { ...kept, project_id, created_at, updated_at } as ProjectRecord;
}
