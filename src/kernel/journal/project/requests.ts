// What each event does to pending requests, and what a person's yes allows.
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { PayloadOf } from "../../events/events.ts";
import type { ProjectedLog, Projections } from "./projections.ts";
import { grant } from "./rules.ts";
import type { Statement } from "../sql.ts";

export const projectRequests: Projections = {
  "approval.requested": (log, p: PayloadOf<"approval.requested">, { at }) => {
    const request = { id: p.approval_id, kind: "approval", at, ...p, always: p.always ?? null };
    return [addRequest(log, request)];
  },
  "clarify.requested": (log, p: PayloadOf<"clarify.requested">, { at }) => {
    const request = { id: p.clarify_id, kind: "clarify", title: "A question for you" };
    const rest = { prompt: p.question, plan_hash: null, always: null };
    return [addRequest(log, { ...request, at, ...p, ...rest })];
  },
  "tool.outcome_unknown": (log, p: PayloadOf<"tool.outcome_unknown">, { at }) => {
    const request = { id: p.request_id, kind: "unknown_outcome", title: `Did “${p.name}” happen?` };
    const rest = { prompt: p.message, plan_hash: null, always: null, expires_at: null };
    return [addRequest(log, { ...request, at, ...p, ...rest })];
  },
  "approval.resolved": (log, p: PayloadOf<"approval.resolved">) => {
    const answered = answerRequest(p.approval_id, p.choice ?? "");
    if (p.choice !== "always" || p.status !== "approved") return [answered];
    return [grant(log, p.approval_id, p.rule), answered]; // only while it is unanswered: a second answer grants nothing
  },
  "clarify.resolved": (_log, p: PayloadOf<"clarify.resolved">) => [
    answerRequest(p.clarify_id, p.response ?? ""),
  ],
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

const ADD = `
  INSERT INTO requests (request_id, log_key, session_key, kind, call_id, title, prompt, choices, plan_hash,
    always, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id) DO UPDATE SET log_key = excluded.log_key, session_key = excluded.session_key,
    kind = excluded.kind, call_id = excluded.call_id, title = excluded.title, prompt = excluded.prompt,
    choices = excluded.choices, plan_hash = excluded.plan_hash, always = excluded.always,
    expires_at = excluded.expires_at, created_at = excluded.created_at, answer = NULL`;

function addRequest(log: ProjectedLog, request: NewRequest): Statement {
  const { id, kind, call_id, title, prompt, choices, plan_hash, always, expires_at, at } = request;
  const rule = always === null ? null : JSON.stringify(always);
  const about = [id, log.log_key, log.session_key, kind, call_id, title, prompt] as const;
  return [ADD, ...about, JSON.stringify(choices), plan_hash, rule, expires_at, at];
}

function answerRequest(id: string, answer: string): Statement {
  return ["UPDATE requests SET answer = ? WHERE request_id = ? AND answer IS NULL", answer, id];
}
