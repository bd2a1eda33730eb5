// The routes of `/v1` that are about runs.
import type { DialectRoute } from "../../../kernel/dialect/dialect.ts";

const get = (path: string, summary: string): DialectRoute => ({ method: "GET", path, summary });
const post = (path: string, summary: string): DialectRoute => ({ method: "POST", path, summary });

export const V1_RUNS_ROUTES: readonly DialectRoute[] = [
  get("/health", "Alive. Needs no token."),
  get("/health/detailed", "Runners, active runs, what waits for a person."),
  get("/v1/health", "Alive. Needs no token."),
  get("/v1/capabilities", "What this server can do, and where."),
  post("/v1/runs", "Start a run: `input` or `message`; `Idempotency-Key` makes it once."),
  get("/v1/runs/{runId}", "Status, output, usage, what waits, what can be done."),
  get("/v1/runs/{runId}/events", "SSE with ids; or JSON after `?cursor=`, waited for."),
  post("/v1/runs/{runId}/approval", "once, session, always or deny; the first answer wins."),
  post("/v1/runs/{runId}/clarifications/{requestId}/respond", "Answer a question."),
  post("/v1/runs/{runId}/steer", "Say something to the running agent."),
  post("/v1/runs/{runId}/messages", "Queue behind the run, or steer it."),
  post("/v1/runs/{runId}/stop", "Stop it. It ends as cancelled."),
  post("/v1/runs/{runId}/cancel", "The same."),
  post("/v1/sessions/{sessionId}/goal", "set, edit, pause, resume, clear, status."),
];
