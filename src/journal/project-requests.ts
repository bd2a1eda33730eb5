// What each event does to the inbox: what waits for a person, and what a person's yes allows.
import type { Rule } from "../protocol/catalogue/permissions.ts";
import type { PayloadOf } from "../protocol/events.ts";
import type { Database } from "./database.ts";
import type { ProjectedLog, Projections } from "./projections.ts";
import { projectGrant } from "./rules.ts";

export const projectRequests: Projections = {
  "approval.requested": (db, log, p: PayloadOf<"approval.requested">, { at }) => {
    const request = { id: p.approval_id, kind: "approval", at, ...p, always: p.always ?? null };
    addRequest(db, log, request);
  },
  "clarify.requested": (db, log, p: PayloadOf<"clarify.requested">, { at }) => {
    const request = { id: p.clarify_id, kind: "clarify", title: "A question for you" };
    const rest = { prompt: p.question, plan_hash: null, always: null };
    addRequest(db, log, { ...request, at, ...p, ...rest });
  },
  "tool.outcome_unknown": (db, log, p: PayloadOf<"tool.outcome_unknown">, { at }) => {
    const request = { id: p.request_id, kind: "unknown_outcome", title: `Did “${p.name}” happen?` };
    const rest = { prompt: p.message, plan_hash: null, always: null, expires_at: null };
    addRequest(db, log, { ...request, at, ...p, ...rest });
  },
  "approval.resolved": (db, log, p: PayloadOf<"approval.resolved">) => {
    const won = answerRequest(db, p.approval_id, p.choice ?? "");
    if (won && p.choice === "always" && p.status === "approved") {
      projectGrant(db, log, p.approval_id);
    }
  },
  "clarify.resolved": (db, _log, p: PayloadOf<"clarify.resolved">) => {
    answerRequest(db, p.clarify_id, p.response ?? "");
  },
};

type NewRequest = {
  id: string;
  kind: string;
  call_id: string | null;
  title: string;
  prompt: string;
  choices: readonly string[];
  plan_hash: string | null;
  always: Rule | null;
  expires_at: number | null;
  at: number;
};

function addRequest(db: Database, log: ProjectedLog, request: NewRequest): void {
  const { id, kind, call_id, title, prompt, choices, plan_hash, always, expires_at, at } = request;
  db.run(
    `INSERT OR REPLACE INTO requests (request_id, log_key, session_key, kind, call_id, title, prompt,
       choices, plan_hash, always, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    log.log_key,
    log.session_key,
    kind,
    call_id,
    title,
    prompt,
    JSON.stringify(choices),
    plan_hash,
    always === null ? null : JSON.stringify(always),
    expires_at,
    at,
  );
}

function answerRequest(db: Database, id: string, answer: string): boolean {
  const sql = "UPDATE requests SET answer = ? WHERE request_id = ? AND answer IS NULL";
  return db.run(sql, answer, id) > 0;
}
