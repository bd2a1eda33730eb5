// Files of sessions and runs: out of here, and into here.
import { get, NO_RUN, NO_SESSION, post, type ApiRoute } from "../../kernel/api/api-route.ts";

const REFUSALS = ["invalid_request", "too_large", "run_quarantined", "unavailable"] as const;

export const SHARE_ROUTES: readonly ApiRoute[] = [
  get("/api/sessions/{sessionId}/export", {
    id: "exportSession",
    tag: "sessions",
    summary: "The session as one file: a page that opens offline, or lines of JSON.",
    query: ["format", "policy", "without"],
    answer: "blob",
    errors: [...NO_SESSION, ...REFUSALS],
  }),
  get("/api/runs/{runId}/export", {
    id: "exportRun",
    tag: "runs",
    summary: "The run and its subagents as one file.",
    query: ["format", "policy", "without"],
    answer: "blob",
    errors: [...NO_RUN, ...REFUSALS],
  }),
  get("/api/sessions/{sessionId}/recording", {
    id: "getRecording",
    tag: "sessions",
    summary: "The lines an imported session was made of.",
    answer: "lines",
    errors: [...NO_SESSION, "not_found", "blob_not_found"],
  }),
  post("/api/import", {
    id: "importRecording",
    tag: "sessions",
    summary: "Open such a file as a session that is only shown. The body is the file itself.",
    upload: true,
    query: ["again"],
    answer: "outcome",
    errors: [
      "invalid_request",
      "invalid_json",
      "too_deep",
      "too_large",
      "unsupported_media_type",
      "rate_limited",
      "storage_full",
    ],
  }),
];
