// Reads projects, the only records of a journal that do not follow from events.
import type { ProjectRecord } from "../../api/records/records.ts";
import type { Reads } from "../journal.ts";
import type { Row, Sql } from "../sql.ts";
import { json, real, rowsOf, text } from "../rows.ts";

export const PROJECT = "SELECT project_id, body, created_at, updated_at FROM projects";

const KEPT = rowsOf("projects", {
  project_id: text,
  body: json<Omit<ProjectRecord, "project_id" | "created_at" | "updated_at">>(),
  created_at: real,
  updated_at: real,
});

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

export function toProject(row: Row): ProjectRecord {
  const { project_id, body, created_at, updated_at } = KEPT.of(row);
  return { ...body, project_id, created_at, updated_at };
}
