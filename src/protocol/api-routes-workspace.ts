// The routes of a session's workspace: reading only, and only below it.
import { get, NO_SESSION, type ApiRoute } from "./api-route.ts";

const REFUSED = [
  ...NO_SESSION,
  "invalid_request",
  "not_found",
  "forbidden",
  "rate_limited",
  "volume_unreachable",
  "unavailable",
] as const;

export const WORKSPACE_ROUTES: readonly ApiRoute[] = [
  get("/api/sessions/{sessionId}/files", {
    id: "listFiles",
    tag: "files",
    summary: "What is in a folder of the session's workspace, some levels deep.",
    answer: { data: "FilesView" },
    query: ["path", "depth", "hidden"],
    errors: REFUSED,
  }),
  get("/api/sessions/{sessionId}/file", {
    id: "readFile",
    tag: "files",
    summary: "Some lines of a file. It is text in an answer, never a page.",
    answer: { data: "FileView" },
    query: ["path", "first_line", "lines"],
    errors: [...REFUSED, "too_large"],
  }),
  get("/api/sessions/{sessionId}/find", {
    id: "findInFiles",
    tag: "files",
    summary: "Find files by name and lines by content.",
    answer: { data: "FindView" },
    query: ["q", "glob", "regex", "in"],
    errors: REFUSED,
  }),
];
