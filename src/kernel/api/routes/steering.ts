// The routes that change what was said, what waits, and what a session builds on.
import { command, NO_RUN, NO_SESSION, post, type ApiRoute } from "../api-route.ts";

export const STEERING_ROUTES: readonly ApiRoute[] = [
  post("/api/runs/{runId}/messages/{messageId}", {
    ...command("EditMessage", [...NO_RUN, "not_found"]),
    id: "editMessage",
    tag: "runs",
    summary: "Change or take back a message no model has read.",
  }),
  post("/api/runs/{runId}/move", {
    ...command("MoveQueued", NO_RUN),
    id: "moveQueued",
    tag: "runs",
    summary: "Move a queued run before another one.",
  }),
  post("/api/runs/{runId}/rerun", {
    ...command("Rerun", [...NO_RUN, "run_quarantined"]),
    id: "rerun",
    tag: "runs",
    summary: "Say it differently: leaves out this run and all after it.",
  }),
  post("/api/sessions/{sessionId}/settings", {
    ...command("UpdateSession", NO_SESSION),
    id: "updateSession",
    tag: "sessions",
    summary: "Change the model, profile, project, rules or yolo.",
  }),
  post("/api/sessions/{sessionId}/undo", {
    ...command("Undo", NO_SESSION),
    id: "undo",
    tag: "sessions",
    summary: "Leave the newest exchange out of the conversation.",
  }),
  post("/api/sessions/{sessionId}/retry", {
    ...command("Retry", [...NO_SESSION, "run_quarantined"]),
    id: "retry",
    tag: "sessions",
    summary: "Ask the newest exchange once more.",
  }),
  post("/api/sessions/{sessionId}/branch", {
    ...command("Branch", NO_SESSION),
    id: "branch",
    tag: "sessions",
    summary: "A new session whose past is this one's up to an event.",
  }),
  post("/api/sessions/{sessionId}/compress", {
    ...command("Compress", NO_SESSION),
    id: "compress",
    tag: "sessions",
    summary: "Summarise the conversation so far.",
  }),
  post("/api/sessions/{sessionId}/rollback", {
    ...command("Rollback", NO_SESSION),
    id: "rollback",
    tag: "files",
    summary: "Roll files back, or say what that would do.",
  }),
];
