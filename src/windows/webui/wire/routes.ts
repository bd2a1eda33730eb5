// Every route of the browser's part of the run contract.
import type { DialectRoute } from "../../../kernel/dialect/dialect.ts";

const get = (path: string, summary: string): DialectRoute => ({ method: "GET", path, summary });
const post = (path: string, summary: string): DialectRoute => ({ method: "POST", path, summary });

export const WEBUI_ROUTES: readonly DialectRoute[] = [
  post("/api/chat/start", "Start a turn; `regenerate` repeats the newest. Busy: 409."),
  get("/api/chat/stream", "A run as named SSE, from any cursor; an unusable one is the start."),
  get("/api/chat/stream/status", "Whether a run is active, and where its stream stands."),
  get("/api/chat/cancel", "Stop a run."),
  post("/api/chat/cancel", "Stop a run."),
  post("/api/chat/steer", "Say something to the running agent."),
  get(
    "/api/chat/session-events",
    "All runs of a session, with `session_snapshot` as the fallback.",
  ),
  get("/api/approval/pending", "The oldest approval that waits, a subagent's too."),
  post("/api/approval/respond", "once, session, always or deny; the first answer wins."),
  get("/api/clarify/pending", "The oldest question that waits; unknown outcomes are questions."),
  post("/api/clarify/respond", "Answer a question. Too late: 409 with `stale`."),
  post("/api/goal", "set (and begin), edit, pause, resume, clear, status."),
  get("/api/commands", "The commands that work as a message: `/compress`, `/retry`, `/goal` …"),
  get("/api/session/stream", "Turns that begin, changes, background commands that end."),
  get("/api/sessions/events", "`sessions_changed`: something in the list is different."),
];
