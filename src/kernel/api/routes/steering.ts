// The endpoints that change messages, the queue and a session's history.
import {
  Branch,
  Compress,
  EditMessage,
  MoveQueued,
  Rerun,
  Retry,
  Rollback,
  Undo,
  UpdateSession,
} from "../../events/commands.ts";
import { BY_RUN, BY_SESSION, BY_MESSAGE, command, NO_RUN, NO_SESSION, post } from "../endpoint.ts";

export const steeringApi = {
  editMessage: post("/api/runs/{runId}/messages/{messageId}", {
    params: BY_MESSAGE,
    ...command(EditMessage, [...NO_RUN, "not_found"]),
    tag: "runs",
    summary: "Change or take back a message no model has read.",
  }),
  moveQueued: post("/api/runs/{runId}/move", {
    params: BY_RUN,
    ...command(MoveQueued, NO_RUN),
    tag: "runs",
    summary: "Move a queued run before another one.",
  }),
  rerun: post("/api/runs/{runId}/rerun", {
    params: BY_RUN,
    ...command(Rerun, [...NO_RUN, "run_quarantined"]),
    tag: "runs",
    summary: "Say it differently: leaves out this run and all after it.",
  }),
  updateSession: post("/api/sessions/{sessionId}/settings", {
    params: BY_SESSION,
    ...command(UpdateSession, NO_SESSION),
    tag: "sessions",
    summary: "Change the model, profile, project, rules or yolo.",
  }),
  undo: post("/api/sessions/{sessionId}/undo", {
    params: BY_SESSION,
    ...command(Undo, NO_SESSION),
    tag: "sessions",
    summary: "Leave the newest exchange out of the conversation.",
  }),
  retry: post("/api/sessions/{sessionId}/retry", {
    params: BY_SESSION,
    ...command(Retry, [...NO_SESSION, "run_quarantined"]),
    tag: "sessions",
    summary: "Ask the newest exchange once more.",
  }),
  branch: post("/api/sessions/{sessionId}/branch", {
    params: BY_SESSION,
    ...command(Branch, NO_SESSION),
    tag: "sessions",
    summary: "A new session whose past is this one's up to an event.",
  }),
  compress: post("/api/sessions/{sessionId}/compress", {
    params: BY_SESSION,
    ...command(Compress, NO_SESSION),
    tag: "sessions",
    summary: "Summarise the conversation so far.",
  }),
  rollback: post("/api/sessions/{sessionId}/rollback", {
    params: BY_SESSION,
    ...command(Rollback, NO_SESSION),
    tag: "files",
    summary: "Roll files back, or say what that would do.",
  }),
};
