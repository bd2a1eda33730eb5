// The endpoints of a session's workspace: its files, git, and a person's own saves and commands.
import {
  FileQuery,
  FilesQuery,
  FindQuery,
  GitDiffQuery,
  GitLogQuery,
} from "../workspace-queries.ts";
import { GitDiffView, GitLogView, GitStatusView, GitWorktreesView } from "../records/git.ts";
import { FileText, FileView, FilesView, FindView } from "../records/workspace.ts";
import { RunCommand, SaveFile } from "../../events/commands.ts";
import { BY_SESSION, command, get, NO_SESSION, post } from "../endpoint.ts";

export const SAVE_BODY = 8_388_608; // a mebibyte of text with the longest escapes
const REFUSED = [
  ...NO_SESSION,
  "invalid_request",
  "not_found",
  "forbidden",
  "rate_limited",
  "volume_unreachable",
  "unavailable",
] as const;

export const workspaceApi = {
  listFiles: get("/api/sessions/{sessionId}/files", {
    params: BY_SESSION,
    tag: "files",
    summary:
      "What is in a folder of the session's workspace, some levels deep, now or at a moment.",
    response: FilesView,
    query: FilesQuery,
    errors: REFUSED,
  }),
  readFile: get("/api/sessions/{sessionId}/file", {
    params: BY_SESSION,
    tag: "files",
    summary:
      "Some lines of a file, as it is now or was at a moment. It is text in an answer, never a page.",
    response: FileView,
    query: FileQuery,
    errors: [...REFUSED, "too_large", "blob_not_found"],
  }),
  findInFiles: get("/api/sessions/{sessionId}/find", {
    params: BY_SESSION,
    tag: "files",
    summary: "Find files by name and lines by content.",
    response: FindView,
    query: FindQuery,
    errors: REFUSED,
  }),
  readText: get("/api/sessions/{sessionId}/file/text", {
    params: BY_SESSION,
    tag: "files",
    summary: "The whole text of a file, exactly, to be changed and saved.",
    response: FileText,
    query: FileQuery.pick({ path: true }),
    errors: [...REFUSED, "too_large"],
  }),
  saveFile: post("/api/sessions/{sessionId}/file/save", {
    params: BY_SESSION,
    bodyLimit: SAVE_BODY,
    ...command(SaveFile, [...NO_SESSION, "forbidden", "too_large"]),
    tag: "files",
    summary:
      "Save a file as a run of its own: checkpointed, and only if it is still what was looked at.",
  }),
  runCommand: post("/api/sessions/{sessionId}/exec", {
    params: BY_SESSION,
    ...command(RunCommand, NO_SESSION),
    tag: "files",
    summary: "Run a person's own command in the workspace, as a run of its own.",
  }),
  gitStatus: get("/api/sessions/{sessionId}/git/status", {
    params: BY_SESSION,
    tag: "files",
    summary: "How the workspace stands, where it is in a git repository.",
    response: GitStatusView,
    errors: REFUSED,
  }),
  gitDiff: get("/api/sessions/{sessionId}/git/diff", {
    params: BY_SESSION,
    tag: "files",
    summary: "What changed, by git: not staged, staged, or in a commit.",
    response: GitDiffView,
    query: GitDiffQuery,
    errors: REFUSED,
  }),
  gitLog: get("/api/sessions/{sessionId}/git/log", {
    params: BY_SESSION,
    tag: "files",
    summary: "What was committed, the newest first.",
    response: GitLogView,
    query: GitLogQuery,
    errors: REFUSED,
  }),
  gitWorktrees: get("/api/sessions/{sessionId}/git/worktrees", {
    params: BY_SESSION,
    tag: "files",
    summary: "Where else the repository is worked on.",
    response: GitWorktreesView,
    errors: REFUSED,
  }),
};
