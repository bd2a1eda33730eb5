// What lists and inboxes show, kept in step with the events by the transaction that appends them.
// Everything here can be made anew from the events (`rebuild`), so nothing here may know more.
import type { Draft, PayloadOf } from "../protocol/events.ts";
import type { Database } from "./database.ts";

/** The part of a log's row a projection may look at. */
export type ProjectedLog = { log_key: number; session_key: number };
type Projection = (db: Database, log: ProjectedLog, payload: never, at: number) => void;

const PROJECTIONS: Readonly<Record<string, Projection>> = {
  "session.created": (db, log, p: PayloadOf<"session.created">) => {
    db.run(
      `UPDATE sessions SET title = ?, source = ?, workspace = ?, model = ?, profile = ?,
       parent_session_id = ? WHERE session_key = ?`,
      p.title,
      p.source,
      p.workspace,
      p.model,
      p.profile,
      p.parent_session_id,
      log.session_key,
    );
  },
  "session.updated": (db, log, p: PayloadOf<"session.updated">) => {
    db.run(
      `UPDATE sessions SET model = coalesce(?, model), workspace = coalesce(?, workspace),
       profile = coalesce(?, profile) WHERE session_key = ?`,
      p.model ?? null,
      p.workspace ?? null,
      p.profile ?? null,
      log.session_key,
    );
  },
  "title.updated": (db, log, p: PayloadOf<"title.updated">) => {
    db.run("UPDATE sessions SET title = ? WHERE session_key = ?", p.title, log.session_key);
  },
  "goal.updated": (db, log, p: PayloadOf<"goal.updated">) => {
    const kept = p.status !== "cleared" && p.text !== null;
    db.run(
      "UPDATE sessions SET goal_text = ?, goal_status = ? WHERE session_key = ?",
      kept ? p.text : null,
      kept ? p.status : null,
      log.session_key,
    );
  },
  "message.user": (db, log, p: PayloadOf<"message.user">, at) => {
    db.run(
      "UPDATE logs SET prompt = ?, created_at = ? WHERE log_key = ? AND created_at = 0",
      p.text.slice(0, 500),
      at,
      log.log_key,
    );
  },
  "run.queued": (db, log, p: PayloadOf<"run.queued">) => {
    db.run(
      `UPDATE logs SET status = 'queued', model = ?, workspace = ?, parent_run_id = ?, depth = ?
       WHERE log_key = ?`,
      p.model,
      p.workspace,
      p.parent_run_id,
      p.depth,
      log.log_key,
    );
  },
  "run.started": (db, log) => {
    db.run("UPDATE logs SET status = 'running' WHERE log_key = ?", log.log_key);
  },
  status: (db, log, p: PayloadOf<"status">) => {
    db.run("UPDATE logs SET status = ? WHERE log_key = ?", p.status, log.log_key);
  },
  done: (db, log, p: PayloadOf<"done">, at) => {
    db.run(
      `UPDATE logs SET status = ?, ended_at = ?, runner_id = NULL, lease_until = NULL
       WHERE log_key = ?`,
      p.status,
      at,
      log.log_key,
    );
    db.run(
      "UPDATE requests SET answer = '' WHERE log_key = ? AND answer IS NULL", // no answer any more
      log.log_key,
    );
  },
  "approval.requested": (db, log, p: PayloadOf<"approval.requested">, at) => {
    addRequest(db, log, { id: p.approval_id, kind: "approval", at, ...p });
  },
  "clarify.requested": (db, log, p: PayloadOf<"clarify.requested">, at) => {
    const request = { id: p.clarify_id, kind: "clarify", title: "A question for you" };
    addRequest(db, log, { ...request, at, ...p, prompt: p.question, plan_hash: null });
  },
  "tool.outcome_unknown": (db, log, p: PayloadOf<"tool.outcome_unknown">, at) => {
    const request = { id: p.request_id, kind: "unknown_outcome", title: `Did “${p.name}” happen?` };
    addRequest(db, log, {
      ...request,
      at,
      ...p,
      prompt: p.message,
      plan_hash: null,
      expires_at: null,
    });
  },
  "approval.resolved": (db, _log, p: PayloadOf<"approval.resolved">) => {
    answerRequest(db, p.approval_id, p.choice ?? "");
  },
  "clarify.resolved": (db, _log, p: PayloadOf<"clarify.resolved">) => {
    answerRequest(db, p.clarify_id, p.response ?? "");
  },
};

export function project(db: Database, log: ProjectedLog, draft: Draft, at: number): void {
  PROJECTIONS[draft.type]?.(db, log, draft.payload as never, at);
}

type NewRequest = {
  id: string;
  kind: string;
  call_id: string | null;
  title: string;
  prompt: string;
  choices: readonly string[];
  plan_hash: string | null;
  expires_at: number | null;
  at: number;
};

function addRequest(db: Database, log: ProjectedLog, request: NewRequest): void {
  const { id, kind, call_id, title, prompt, choices, plan_hash, expires_at, at } = request;
  db.run(
    `INSERT OR REPLACE INTO requests (request_id, log_key, session_key, kind, call_id, title, prompt,
       choices, plan_hash, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    log.log_key,
    log.session_key,
    kind,
    call_id,
    title,
    prompt,
    JSON.stringify(choices),
    plan_hash,
    expires_at,
    at,
  );
}

function answerRequest(db: Database, id: string, answer: string): void {
  db.run("UPDATE requests SET answer = ? WHERE request_id = ? AND answer IS NULL", answer, id);
}
