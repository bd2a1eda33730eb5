// Projects: defaults that sessions share. They are records, not events; a run's first event holds a copy of what the
// run was given, so a later change never rewrites history.
import type { ProjectRecord } from "../../api/records/records.ts";
import type { CreateProject, Outcome, UpdateProject } from "../../events/commands.ts";
import { outcome } from "../admit/idempotency.ts";
import { newId } from "../admit/new-session.ts";
import { findProject } from "./projects.ts";
import { rowsOf } from "../rows.ts";
import { SESSIONS } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";
import type { Transact, Tx } from "../transaction.ts";

type Body = Omit<ProjectRecord, "project_id" | "created_at" | "updated_at">;

const EMPTY: Omit<Body, "name"> = {
  workspace: null,
  profile: null,
  model: null,
  instructions: null,
  metadata: {},
  permissions: [],
  budget: null,
};

export function createProject(transact: Transact) {
  return ({ project_id: projectId = newId("proj"), ...wanted }: CreateProject): Promise<Outcome> =>
    transact(`project ${projectId}`, async (tx) => {
      const body = tx.clean(bodyOf({ ...EMPTY, ...said(wanted), name: wanted.name }));
      const known = await findProject(tx, projectId);
      if (known) {
        return JSON.stringify(bodyOf(known)) === JSON.stringify(body)
          ? about(projectId, "duplicate", "The project exists already.")
          : about(projectId, "conflict", "There is another project of that id.");
      }
      const sql =
        "INSERT INTO projects (project_id, body, created_at, updated_at) VALUES (?, ?, ?, ?)";
      await tx.run(sql, projectId, JSON.stringify(body), tx.now, tx.now);
      return about(projectId, "accepted", "The project is there.");
    });
}

export function updateProject(transact: Transact) {
  return (projectId: string, command: UpdateProject): Promise<Outcome | undefined> =>
    transact(`project ${projectId}`, async (tx) => {
      const known = await findProject(tx, projectId);
      if (!known) return undefined;
      const before = JSON.stringify(bodyOf(known));
      const after = JSON.stringify(tx.clean(bodyOf({ ...known, ...said(command) })));
      if (before === after) return about(projectId, "duplicate", "It is so already.");
      const sql = "UPDATE projects SET body = ?, updated_at = ? WHERE project_id = ?";
      await tx.run(sql, after, tx.now, projectId);
      return about(projectId, "accepted", "Changed.");
    });
}

/** Its sessions stay, without a project. */
export function deleteProject(transact: Transact) {
  return (projectId: string): Promise<Outcome | undefined> =>
    transact(`project ${projectId}`, async (tx) => {
      if (!(await findProject(tx, projectId))) return undefined;
      await tx.run("DELETE FROM projects WHERE project_id = ?", projectId);
      await leave(tx, projectId);
      return about(projectId, "accepted", "Deleted. Its sessions stay.");
    });
}

const SESSION_ID = rowsOf("sessions", pick(SESSIONS, "session_id"));

async function leave(tx: Tx, projectId: string): Promise<void> {
  const sql = "SELECT session_id FROM sessions WHERE project_id = ? ORDER BY session_key";
  for (const { session_id } of await SESSION_ID.all(tx, sql, projectId)) {
    const payload = { project_id: null };
    await tx.append(session_id, [{ type: "session.updated", payload }]);
  }
}

/** Sorts the keys, so that the same project is the same text. */
function bodyOf({ name, ...rest }: Body): Body {
  const { workspace, profile, model, instructions, metadata, permissions, budget } = rest;
  return { name, workspace, profile, model, instructions, metadata, permissions, budget };
}

function said<Wanted extends object>(wanted: Wanted): Body {
  return Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  ) as unknown as Body;
}

function about(project_id: string, status: Outcome["status"], message: string): Outcome {
  return { ...outcome(status, { message }), payload: { project_id } };
}
