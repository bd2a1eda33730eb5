// Every route of the HTTP API as data: what openapi.ts describes, and what a test compares with the
// routes the server really has.
import type { ErrorCode } from "./errors.ts";

export type ApiRoute = {
  readonly method: "get" | "post";
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tag: "runs" | "sessions" | "status" | "auth" | "blobs" | "demo" | "console";
  readonly query?: readonly QueryName[];
  readonly headers?: readonly HeaderName[];
  /** Name of the schema of the body. */
  readonly body?: string;
  /** A command (200 or 202 with an Outcome), a record by the name of its schema, or a stream. */
  readonly answer: "outcome" | "run stream" | "session stream" | "blob" | { readonly data: string };
  readonly errors?: readonly ErrorCode[];
  readonly open?: true; // needs no token
};

export const QUERIES = {
  after_seq: "Go on after this number.",
  cursor: "Go on after this cursor: `<seq>`, `<log>:<seq>` or `<epoch>/<log>:<seq>`.",
  epoch: "The epoch the cursor is of; another one is `cursor_invalid`.",
  limit: "How many, at most 200.",
  offset: "How many to leave out.",
} as const;
export const HEADERS = {
  "Last-Event-ID": "The cursor, as an EventSource sends it by itself.",
  "Idempotency-Key": "The same as `message_id` in the body.",
  Range: "One range of bytes.",
} as const;
export const PARAMETERS: Readonly<Record<string, string>> = {
  runId: "The run's id.",
  sessionId: "The session's id.",
  requestId: "The id of an approval, a question, or an unknown outcome.",
  sha256: "SHA-256 of the content, in hex.",
};
type QueryName = keyof typeof QUERIES;
type HeaderName = keyof typeof HEADERS;

const CURSOR = { query: ["after_seq", "cursor", "epoch"], headers: ["Last-Event-ID"] } as const;
const NO_RUN = ["run_not_found"] as const;
const NO_SESSION = ["session_not_found"] as const;

type Rest = Partial<Pick<ApiRoute, "query" | "headers" | "body" | "errors" | "open">>;
type Told = Pick<ApiRoute, "id" | "tag" | "summary" | "answer"> & Rest;
const get = (path: string, told: Told): ApiRoute => ({ method: "get", path, ...told });
const post = (path: string, told: Told): ApiRoute => ({ method: "post", path, ...told });
const command = (body: string, errors: readonly ErrorCode[]) =>
  ({ body, answer: "outcome", errors: [...errors, "idempotency_conflict"] }) as const;

export const API_ROUTES: readonly ApiRoute[] = [
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
    query: ["limit", "offset"],
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
    summary: "Exchange a one-use code for a cookie.",
    open: true,
    answer: { data: "LoginView" },
    body: "Login",
    errors: ["unauthorized"],
  }),
  get("/api/auth/session", {
    id: "getAuth",
    tag: "auth",
    summary: "Whether the caller is logged in, and its proof.",
    answer: { data: "AuthView" },
  }),
  get("/api/blobs/{sha256}", {
    id: "getBlob",
    tag: "blobs",
    summary: "A whole output, or a range of it.",
    answer: "blob",
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
  get("/api/gui/health", {
    id: "consoleHealth",
    tag: "console",
    summary: "Whether the server answers.",
    open: true,
    answer: { data: "ConsoleReply" },
  }),
  get("/api/gui/meta", {
    id: "consoleMeta",
    tag: "console",
    summary: "What the console seed's client asks first.",
    answer: { data: "ConsoleReply" },
  }),
  post("/api/gui/chat/send", {
    id: "consoleSend",
    tag: "console",
    summary: "Start a run, as the console seed does.",
    answer: { data: "ConsoleReply" },
    body: "ConsoleSend",
    errors: ["idempotency_conflict"],
    headers: ["Idempotency-Key"],
  }),
  post("/api/gui/chat/stop", {
    id: "consoleStop",
    tag: "console",
    summary: "Stop a run, as the console seed does.",
    answer: { data: "ConsoleReply" },
    body: "ConsoleStop",
    errors: NO_RUN,
  }),
];
