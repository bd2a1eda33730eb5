// The endpoints of sessions and of pending requests.
import { z } from "zod";
import { CreateSession, UpdateGoal, UpdateTitle } from "../../events/commands.ts";
import { CURSOR } from "../cursor-query.ts";
import { BY_SESSION, command, get, NO_SESSION, post } from "../endpoint.ts";
import { integerParam, LIMIT } from "../integer-param.ts";
import { PendingView, SessionPage, SessionView } from "../records/records.ts";

const MAX_OFFSET = 999_999;
const ListQuery = z.object({
  limit: integerParam(0, MAX_OFFSET).default(50).describe(LIMIT),
  offset: integerParam(0, MAX_OFFSET).default(0).describe("How many to leave out."),
  pinned: z.enum(["0", "1"]).default("0").describe("`1`: only pinned ones."),
});
/** A value that is not a number is ignored. */
const number = z
  .unknown()
  .optional()
  .transform((text) => (typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : null))
  .meta({ type: "integer", minimum: 0 });
const HistoryQuery = z.object({
  fold: number.describe(
    "A reducer's number: what the server made of the first events may come in their place.",
  ),
  to: number.describe("Only the events up to this `session_seq`."),
});

export const sessionsApi = {
  listSessions: get("/api/sessions", {
    tag: "sessions",
    summary: "Sessions, the newest first.",
    response: SessionPage,
    query: ListQuery,
    errors: ["invalid_request"],
  }),
  createSession: post("/api/sessions", {
    tag: "sessions",
    summary: "Open a session without starting a run.",
    response: "outcome",
    body: CreateSession,
  }),
  getSession: get("/api/sessions/{sessionId}", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "A session, its runs, and what waits.",
    response: SessionView,
    errors: NO_SESSION,
  }),
  streamSession: get("/api/sessions/{sessionId}/events", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "All events of a session, across its runs.",
    response: "session stream",
    ...CURSOR,
    errors: [...NO_SESSION, "run_quarantined", "cursor_invalid"],
  }),
  readPast: get("/api/sessions/{sessionId}/past", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "Everything a session has now, at once. Of one that is not there, nothing.",
    response: "lines",
    query: HistoryQuery,
  }),
  updateTitle: post("/api/sessions/{sessionId}/title", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "Rename a session.",
    response: "outcome",
    body: UpdateTitle,
    errors: NO_SESSION,
  }),
  updateGoal: post("/api/sessions/{sessionId}/goal", {
    params: BY_SESSION,
    ...command(UpdateGoal, NO_SESSION),
    tag: "sessions",
    summary: "Set, change or ask for the session's goal.",
  }),
  listPending: get("/api/pending", {
    tag: "sessions",
    summary: "Everything that waits for a person.",
    response: PendingView,
  }),
};
