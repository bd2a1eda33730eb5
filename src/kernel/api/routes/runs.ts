// The endpoints of runs.
import { z } from "zod";
import {
  CancelRun,
  QueueMessage,
  RespondApproval,
  RespondClarify,
  StartRun,
} from "../../events/commands.ts";
import { CURSOR } from "../cursor-query.ts";
import { BY_RUN, command, get, NO_RUN, post, REQUEST_ID } from "../endpoint.ts";
import { RunView, SnapshotView } from "../records/records.ts";

const BY_REQUEST = { ...BY_RUN, requestId: z.string().describe(REQUEST_ID) };

export const runsApi = {
  startRun: post("/api/runs", {
    ...command(StartRun, []),
    tag: "runs",
    summary: "Start a run, in a new or a known session.",
    headers: ["Idempotency-Key"],
  }),
  getRun: get("/api/runs/{runId}", {
    params: BY_RUN,
    tag: "runs",
    summary: "A run's status and what it waits for.",
    response: RunView,
    errors: [...NO_RUN, "run_quarantined"],
  }),
  getSnapshot: get("/api/runs/{runId}/snapshot", {
    params: BY_RUN,
    tag: "runs",
    summary: "The run's folded state as of now.",
    response: SnapshotView,
    errors: [...NO_RUN, "run_quarantined"],
  }),
  streamRun: get("/api/runs/{runId}/events", {
    params: BY_RUN,
    tag: "runs",
    summary: "The run's events, stored ones first, then live.",
    response: "run stream",
    errors: [...NO_RUN, "run_quarantined", "cursor_invalid"],
    ...CURSOR,
  }),
  cancelRun: post("/api/runs/{runId}/cancel", {
    params: BY_RUN,
    ...command(CancelRun, NO_RUN),
    tag: "runs",
    summary: "Stop a run. It always ends as cancelled.",
  }),
  respondApproval: post("/api/runs/{runId}/approvals/{requestId}", {
    params: BY_REQUEST,
    ...command(RespondApproval, [...NO_RUN, "request_not_found"]),
    tag: "runs",
    summary: "Allow or deny. The first answer wins.",
  }),
  respondClarify: post("/api/runs/{runId}/clarifications/{requestId}", {
    params: BY_REQUEST,
    ...command(RespondClarify, [...NO_RUN, "request_not_found"]),
    tag: "runs",
    summary: "Answer a question. The first answer wins.",
  }),
  queueMessage: post("/api/runs/{runId}/messages", {
    params: BY_RUN,
    ...command(QueueMessage, NO_RUN),
    tag: "runs",
    summary: "Steer the run, or queue a run behind it.",
  }),
};
