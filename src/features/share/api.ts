// Files of sessions and runs: out of here, and into here.

import { z } from "zod";
import { SHARE_FORMATS, SHARE_PARTS, SHARE_POLICIES } from "../../kernel/events/share-policy.ts";
import { BY_RUN, BY_SESSION, get, NO_RUN, NO_SESSION, post } from "../../kernel/api/endpoint.ts";

const ExportQuery = z.object({
  format: z
    .enum(SHARE_FORMATS)
    .default("html")
    .describe("`html` (a page that opens offline; when left out) or `json` (lines)."),
  policy: z.enum(SHARE_POLICIES).default("share").describe("`share` (when left out) or `full`."),
  without: z
    .string()
    .max(200)
    .default("")
    .describe(
      "What to leave out as well, with commas: `tool-output`, `files`, `thinking`, `paths`, `environment`.",
    )
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(z.enum(SHARE_PARTS))),
});
export type ExportQuery = z.output<typeof ExportQuery>;
const ImportQuery = z.object({
  again: z
    .enum(["0", "1"])
    .default("0")
    .describe("`1`: as another session, also when this file is here already."),
});
const REFUSALS = ["invalid_request", "too_large", "run_quarantined", "unavailable"] as const;

export const shareApi = {
  exportSession: get("/api/sessions/{sessionId}/export", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "The session as one file: a page that opens offline, or lines of JSON.",
    query: ExportQuery,
    response: "blob",
    errors: [...NO_SESSION, ...REFUSALS],
  }),
  exportRun: get("/api/runs/{runId}/export", {
    params: BY_RUN,
    tag: "runs",
    summary: "The run and its subagents as one file.",
    query: ExportQuery,
    response: "blob",
    errors: [...NO_RUN, ...REFUSALS],
  }),
  getRecording: get("/api/sessions/{sessionId}/recording", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "The lines an imported session was made of.",
    response: "lines",
    errors: [...NO_SESSION, "not_found", "blob_not_found"],
  }),
};

export const importApi = {
  importRecording: post("/api/import", {
    tag: "sessions",
    summary: "Open such a file as a session that is only shown. The body is the file itself.",
    raw: "file",
    query: ImportQuery,
    response: "outcome",
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
};
