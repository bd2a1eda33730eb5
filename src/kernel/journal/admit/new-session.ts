// Sessions as commands see them, and the creation of a session: its record, its log and its first event, in the
// caller's transaction.
import { randomUUIDv7 } from "node:crypto";
import type { Draft } from "../../events/events.ts";
import type { PayloadOf } from "../../events/events.ts";
import { ApiError } from "../../events/errors.ts";
import type { Tx } from "../transaction.ts";
import { integer, nullable, rowsOf, text, type RowOf } from "../rows.ts";

const SessionRow = rowsOf("sessions", {
  session_key: integer,
  session_id: text,
  title: text,
  source: text,
  model: text,
  workspace: text,
  profile: text,
  project_id: nullable(text),
  deleted: integer,
});
export type SessionRow = RowOf<typeof SessionRow>;
export type NewSession = Omit<PayloadOf<"session.created">, "parent_session_id"> & {
  readonly session_id: string | undefined;
  readonly parent_session_id?: string;
};

export function newId(kind: "run" | "msg" | "sess" | "proj" | "cron"): string {
  return `${kind}_${randomUUIDv7().replaceAll("-", "")}`;
}

export async function findSession(tx: Tx, sessionId: string): Promise<SessionRow | undefined> {
  const sql = `SELECT session_key, session_id, title, source, model, workspace, profile, project_id, deleted
    FROM sessions WHERE session_id = ?`;
  return SessionRow.get(tx, sql, sessionId);
}

export async function insertSession(tx: Tx, wanted: NewSession): Promise<SessionRow> {
  const { session_id, parent_session_id = null, ...rest } = wanted;
  const sessionId = session_id ?? newId("sess");
  if (await tx.log(sessionId)) {
    throw new ApiError("invalid_request", `session_id: ${sessionId} is the id of a run`);
  }
  await tx.run(
    "INSERT INTO sessions (session_id, created_at, updated_at) VALUES (?, ?, ?)",
    sessionId,
    tx.now,
    tx.now,
  );
  await tx.run(
    `INSERT INTO logs (log_id, kind, session_key)
     SELECT session_id, 'session', session_key FROM sessions WHERE session_id = ?`,
    sessionId,
  );
  const created: Draft = { type: "session.created", payload: { ...rest, parent_session_id } };
  await tx.append(sessionId, [created]);
  const session = await findSession(tx, sessionId);
  if (!session) throw new Error(`session ${sessionId} vanished inside its own transaction`);
  return session;
}
