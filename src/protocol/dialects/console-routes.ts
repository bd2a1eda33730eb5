// The routes of the web console's API that are served, and the one for all the others.
import type { DialectRoute } from "./dialect.ts";

const get = (path: string, summary: string): DialectRoute => route("GET", path, summary);
const post = (path: string, summary: string): DialectRoute => route("POST", path, summary);

function route(method: DialectRoute["method"], path: string, summary: string): DialectRoute {
  return { method, path: `/api/gui${path}`, summary };
}

const CHAT: readonly DialectRoute[] = [
  post("/chat/send", "Start a run: `message` or `prompt`; once per message id."),
  post("/chat/background", "Start a run in a session of its own."),
  post("/chat/btw", "A quick ask: knows the conversation, has no tools, and is no part of it."),
  get("/chat/backgrounds", "Runs in the background, the newest first."),
  get("/chat/run/{runId}", "A run: status, answer, usage, error."),
  post("/chat/stop", "Stop a run. It ends as cancelled."),
  post("/chat/retry", "The newest exchange, or a named run, once more."),
  post("/chat/undo", "Leave the newest exchange out of the conversation."),
  post("/chat/compress", "Summarise the conversation; waits a while for the result."),
];

const HUMAN: readonly DialectRoute[] = [
  get("/human/pending", "What waits for a person: approvals, questions, unknown outcomes."),
  post("/human/approve", "once, session or always; the first answer wins."),
  post("/human/deny", "Refuse, with a reason for the agent; of a question: cancel it."),
  post("/human/clarify", "Answer a question, or say what became of an unknown outcome."),
  get("/human/yolo", "Whether everything that would be asked is allowed."),
  post("/human/yolo", "Switch that on or off, for one session."),
];

const SESSIONS: readonly DialectRoute[] = [
  get("/sessions", "q, source, workspace, model, has_tools, limit, offset; the newest first."),
  get("/sessions/{sessionId}", "A session with its recap and lineage."),
  get("/sessions/{sessionId}/transcript", "What was said and done; `compat=client` for its types."),
  post("/sessions/{sessionId}/title", "Rename."),
  route("DELETE", "/sessions/{sessionId}", "Out of every list; its runs are stopped."),
  post("/sessions/{sessionId}/resume", "Open again, also what was deleted."),
  post("/sessions/{sessionId}/branch", "Go on after a message in a session of its own."),
  get("/sessions/{sessionId}/export", "md, json, html or txt, as a file."),
  get("/session-search", "Words in what was said: `query` or `q`."),
];

const FALLBACK: readonly DialectRoute[] = (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map(
  (method) => route(method, "/*", "Not served: says so in the capability envelope."),
);

export const CONSOLE_ROUTES: readonly DialectRoute[] = [
  get("/health", "Whether the server answers. Needs no token."),
  get("/meta", "Version, paths, what works."),
  get("/version", "The version."),
  ...CHAT,
  ...SESSIONS,
  ...HUMAN,
  get("/commands", "Slash commands, for completion."),
  get("/metrics/global", "Usage today and load: the client's heartbeat."),
  get("/stream/session/{sessionId}", "SSE: `history=1`, `run_id`, `Last-Event-ID`."),
  ...FALLBACK,
  {
    method: "GET",
    path: "/app",
    summary: "And `/app/`: sends to the page at `/`. Needs no token.",
  },
];
