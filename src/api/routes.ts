// Every route of the HTTP API as data: what openapi.ts describes, and what a test compares with the
// routes the server really has.
import {
  command,
  CURSOR,
  get,
  NO_RUN,
  NO_SESSION,
  post,
  type ApiRoute,
} from "../kernel/api/api-route.ts";
import { ATTACHMENT_ROUTES } from "../kernel/api/routes/attachments.ts";
import { BROWSER_ROUTES } from "../features/browser/api.ts";
import { CRON_ROUTES } from "../features/schedules/api.ts";
import { GATEWAY_ROUTES } from "../features/messengers/api.ts";
import { MODEL_ROUTES } from "../kernel/api/routes/models.ts";
import { SYSTEM_ROUTES } from "../kernel/api/routes/system-log.ts";
import { INSIGHT_ROUTES } from "../features/insights/api.ts";
import { MEDIA_ROUTES } from "../features/voice/api.ts";
import { MEMORY_ROUTES } from "../features/memory/api.ts";
import { SKILL_ROUTES } from "../features/skills/api.ts";
import { INBOX_ROUTES } from "../kernel/api/routes/inbox.ts";
import { PROCESS_ROUTES } from "../kernel/api/routes/processes.ts";
import { PUSH_ROUTES } from "../features/push/api.ts";
import { RECORD_ROUTES } from "../kernel/api/routes/records.ts";
import { SETTINGS_ROUTES } from "../kernel/api/routes/settings.ts";
import { SHARE_ROUTES } from "../features/share/api.ts";
import { STEERING_ROUTES } from "../kernel/api/routes/steering.ts";
import { TERMINAL_ROUTES } from "../features/terminals/api.ts";
import { WORKSPACE_ROUTES } from "../kernel/api/routes/workspace.ts";

export const API_ROUTES: readonly ApiRoute[] = [
  ...STEERING_ROUTES,
  ...RECORD_ROUTES,
  ...WORKSPACE_ROUTES,
  ...PROCESS_ROUTES,
  ...TERMINAL_ROUTES,
  ...PUSH_ROUTES,
  ...INBOX_ROUTES,
  ...SYSTEM_ROUTES,
  ...SETTINGS_ROUTES,
  ...CRON_ROUTES,
  ...BROWSER_ROUTES,
  ...GATEWAY_ROUTES,
  ...MEMORY_ROUTES,
  ...SKILL_ROUTES,
  ...ATTACHMENT_ROUTES,
  ...MEDIA_ROUTES,
  ...MODEL_ROUTES,
  ...INSIGHT_ROUTES,
  ...SHARE_ROUTES,
  post("/api/runs", {
    ...command("StartRun", []),
    id: "startRun",
    tag: "runs",
    summary: "Start a run, in a new or a known session.",
    headers: ["Idempotency-Key"],
  }),
  get("/api/runs/{runId}", {
    id: "getRun",
    tag: "runs",
    summary: "A run's status and what it waits for.",
    answer: { data: "RunView" },
    errors: [...NO_RUN, "run_quarantined"],
  }),
  get("/api/runs/{runId}/snapshot", {
    id: "getSnapshot",
    tag: "runs",
    summary: "The run's folded state as of now.",
    answer: { data: "SnapshotView" },
    errors: [...NO_RUN, "run_quarantined"],
  }),
  get("/api/runs/{runId}/events", {
    id: "streamRun",
    tag: "runs",
    summary: "The run's events, stored ones first, then live.",
    answer: "run stream",
    errors: [...NO_RUN, "run_quarantined", "cursor_invalid"],
    ...CURSOR,
  }),
  post("/api/runs/{runId}/cancel", {
    ...command("CancelRun", NO_RUN),
    id: "cancelRun",
    tag: "runs",
    summary: "Stop a run. It always ends as cancelled.",
  }),
  post("/api/runs/{runId}/approvals/{requestId}", {
    ...command("RespondApproval", [...NO_RUN, "request_not_found"]),
    id: "respondApproval",
    tag: "runs",
    summary: "Allow or deny. The first answer wins.",
  }),
  post("/api/runs/{runId}/clarifications/{requestId}", {
    ...command("RespondClarify", [...NO_RUN, "request_not_found"]),
    id: "respondClarify",
    tag: "runs",
    summary: "Answer a question. The first answer wins.",
  }),
  post("/api/runs/{runId}/messages", {
    ...command("QueueMessage", NO_RUN),
    id: "queueMessage",
    tag: "runs",
    summary: "Steer the run, or queue a run behind it.",
  }),
  get("/api/sessions", {
    id: "listSessions",
    tag: "sessions",
    summary: "Sessions, the newest first.",
    answer: { data: "SessionPage" },
    query: ["limit", "offset", "pinned"],
    errors: ["invalid_request"],
  }),
  post("/api/sessions", {
    id: "createSession",
    tag: "sessions",
    summary: "Open a session without starting a run.",
    answer: "outcome",
    body: "CreateSession",
  }),
  get("/api/sessions/{sessionId}", {
    id: "getSession",
    tag: "sessions",
    summary: "A session, its runs, and what waits.",
    answer: { data: "SessionView" },
    errors: NO_SESSION,
  }),
  get("/api/sessions/{sessionId}/events", {
    id: "streamSession",
    tag: "sessions",
    summary: "All events of a session, across its runs.",
    answer: "session stream",
    ...CURSOR,
    errors: [...NO_SESSION, "run_quarantined", "cursor_invalid"],
  }),
  get("/api/sessions/{sessionId}/past", {
    id: "readPast",
    tag: "sessions",
    summary: "Everything a session has now, at once. Of one that is not there, nothing.",
    answer: "lines",
    query: ["fold", "to"],
  }),
  post("/api/sessions/{sessionId}/title", {
    id: "updateTitle",
    tag: "sessions",
    summary: "Rename a session.",
    answer: "outcome",
    body: "UpdateTitle",
    errors: NO_SESSION,
  }),
  post("/api/sessions/{sessionId}/goal", {
    ...command("UpdateGoal", NO_SESSION),
    id: "updateGoal",
    tag: "sessions",
    summary: "Set, change or ask for the session's goal.",
  }),
  get("/api/pending", {
    id: "listPending",
    tag: "sessions",
    summary: "Everything that waits for a person.",
    answer: { data: "PendingView" },
  }),
  get("/api/status", {
    id: "getStatus",
    tag: "status",
    summary: "What is running here, with which model.",
    answer: { data: "StatusView" },
  }),
  post("/api/auth/login", {
    id: "login",
    tag: "auth",
    summary: "Exchange a one-use code for a cookie and its proof, which is told nowhere else.",
    open: true,
    answer: { data: "LoginView" },
    body: "Login",
    errors: ["unauthorized"],
  }),
  post("/api/auth/ticket", {
    id: "getTicket",
    tag: "auth",
    summary:
      "A code for one WebSocket of a page on another origin, offered as `quarterdeck.ticket.<code>` beside `quarterdeck`.",
    answer: { data: "TicketView" },
  }),
  get("/api/auth/session", {
    id: "getAuth",
    tag: "auth",
    summary: "Whether the caller is logged in.",
    answer: { data: "AuthView" },
  }),
  get("/api/blobs/{sha256}", {
    id: "getBlob",
    tag: "blobs",
    summary: "A whole output, or a range of it.",
    answer: "blob",
    query: ["name"],
    headers: ["Range"],
    errors: ["blob_not_found", "range_not_satisfiable"],
  }),
  post("/api/demo/kill-runner", {
    id: "killRunner",
    tag: "demo",
    summary: "Kill the runner of a demo run, to watch it go on.",
    answer: { data: "KilledView" },
    body: "KillRunner",
    errors: [...NO_RUN, "no_runner"],
  }),
];
