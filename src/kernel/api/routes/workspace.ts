// The routes of a session's workspace: what is in it, what git knows of it, and what a person does there.
import { command, get, NO_SESSION, post, type ApiRoute } from "../api-route.ts";

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
    summary:
      "What is in a folder of the session's workspace, some levels deep, now or at a moment.",
    answer: { data: "FilesView" },
    query: ["path", "depth", "hidden", "until"],
    errors: REFUSED,
  }),
  get("/api/sessions/{sessionId}/file", {
    id: "readFile",
    tag: "files",
    summary:
      "Some lines of a file, as it is now or was at a moment. It is text in an answer, never a page.",
    answer: { data: "FileView" },
    query: ["path", "first_line", "lines", "until"],
    errors: [...REFUSED, "too_large", "blob_not_found"],
  }),
  get("/api/sessions/{sessionId}/find", {
    id: "findInFiles",
    tag: "files",
    summary: "Find files by name and lines by content.",
    answer: { data: "FindView" },
    query: ["q", "glob", "regex", "in"],
    errors: REFUSED,
  }),
  get("/api/sessions/{sessionId}/file/text", {
    id: "readText",
    tag: "files",
    summary: "The whole text of a file, exactly, to be changed and saved.",
    answer: { data: "FileText" },
    query: ["path"],
    errors: [...REFUSED, "too_large"],
  }),
  post("/api/sessions/{sessionId}/file/save", {
    ...command("SaveFile", [...NO_SESSION, "forbidden", "too_large"]),
    id: "saveFile",
    tag: "files",
    summary:
      "Save a file as a run of its own: checkpointed, and only if it is still what was looked at.",
  }),
  post("/api/sessions/{sessionId}/exec", {
    ...command("RunCommand", NO_SESSION),
    id: "runCommand",
    tag: "files",
    summary: "Run a person's own command in the workspace, as a run of its own.",
  }),
  get("/api/sessions/{sessionId}/git/status", {
    id: "gitStatus",
    tag: "files",
    summary: "How the workspace stands, where it is in a git repository.",
    answer: { data: "GitStatusView" },
    errors: REFUSED,
  }),
  get("/api/sessions/{sessionId}/git/diff", {
    id: "gitDiff",
    tag: "files",
    summary: "What changed, by git: not staged, staged, or in a commit.",
    answer: { data: "GitDiffView" },
    query: ["of", "commit", "path"],
    errors: REFUSED,
  }),
  get("/api/sessions/{sessionId}/git/log", {
    id: "gitLog",
    tag: "files",
    summary: "What was committed, the newest first.",
    answer: { data: "GitLogView" },
    query: ["limit", "offset", "path"],
    errors: REFUSED,
  }),
  get("/api/sessions/{sessionId}/git/worktrees", {
    id: "gitWorktrees",
    tag: "files",
    summary: "Where else the repository is worked on.",
    answer: { data: "GitWorktreesView" },
    errors: REFUSED,
  }),
];
