// The routes and streams of the browser's part of the run contract, as docs/windows.md describes them.
import {
  AUTH,
  get,
  post,
  type DialectRoute,
  type WindowText,
} from "../../../kernel/dialect/window-doc.ts";

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

export const WEBUI_TEXT: WindowText = {
  title: "Browser run stream",
  shows:
    "A run with its subagents over SSE with named events and `id: <run>:0<n>`. `after_event_id`, `after_seq` or `Last-Event-ID` resume after it; an unusable cursor starts with the first event.",
  open: `curl -N "$U/api/chat/stream?stream_id=RUN" ${AUTH}`,
  degrades: [
    "An event without its own name is `context_status {kind, detail}`, which a client shows or ignores. So is an answer that was given elsewhere.",
    "A goal continues by itself; `goal_continue` has no prompt, because a client would send it and the work would be done twice.",
    "`done` has only this run's exchange, not the whole conversation (`_messages_truncated`).",
    "Of subagents only their requests are emitted. Types without a dot are not passed on, because the client may know such a name.",
    "Output of a running call is `tool_update {tid, channel, delta}`, our own name, which clients ignore; `tool_complete` has `result`, `exit_code` and `output`, each at most 8,192 characters a text.",
    "Numbers of ids are positions in the session and begin with a zero (`<run>:042`): an id of this window is refused by `/api/runs/{id}/events`, which numbers the run's own events, and one of that stream used here may repeat frames, never skip any.",
    "`/api/chat/start` with a command as its message (`/compress`, `/retry`, `/goal …`; the list is `GET /api/commands`) answers with the run that it became, or with an ended run whose text says what was done. A command is accepted while a run is active; any other message is 409.",
  ],
};

export const WEBUI_SESSION_TEXT: WindowText = {
  title: "Browser session channel",
  shows:
    "Hints over SSE that something began, ended, asks or changed in a session; the page then reads what.",
  open: `curl -N "$U/api/session/stream?session_id=SESSION" ${AUTH}`,
  degrades: ["It says that there is something new, never what."],
};
