// What git knows of a session's workspace; also the answer where there is no repository or no git.
import { z } from "zod";

const Path = z.string().describe("relative to the workspace");
const Hash = z.string().describe("of a commit");

export const GitEntry = z.object({
  path: Path.describe("relative to the workspace; a folder that is all new ends with a slash"),
  from: Path.nullable().describe("where a renamed file was"),
  index: z
    .string()
    .describe("git's letter for what is to be committed; `.` nothing, `?` not known to git"),
  worktree: z.string().describe("git's letter for what is not"),
});
export type GitEntry = Readonly<z.infer<typeof GitEntry>>;

export const GitFileDiff = z.object({
  path: Path,
  from: Path.nullable(),
  what: z.enum(["added", "deleted", "renamed", "changed"]),
  text: z.string().describe("a unified diff without its head; empty when binary"),
  added: z.int().nonnegative().describe("lines"),
  removed: z.int().nonnegative(),
  binary: z.boolean(),
  truncated: z.boolean().describe("the text is cut"),
});
export type GitFileDiff = Readonly<z.infer<typeof GitFileDiff>>;

export const GitCommit = z.object({
  commit: Hash,
  parents: z.array(Hash),
  author: z.string(),
  email: z.string(),
  at: z.number().describe("unix seconds"),
  refs: z.array(z.string()),
  subject: z.string(),
});
export type GitCommit = Readonly<z.infer<typeof GitCommit>>;

export const GitWorktree = z.object({
  path: z.string().describe("where it is on the machine"),
  head: Hash.nullable(),
  branch: z.string().nullable(),
  locked: z.boolean(),
  current: z.boolean().describe("the workspace is in it"),
});
export type GitWorktree = Readonly<z.infer<typeof GitWorktree>>;

const none = {
  repository: z.literal(false),
  reason: z
    .enum(["not_a_repository", "not_readable", "git_missing", "no_workspace"])
    .describe("why there is nothing to tell"),
  message: z.string(),
};
const some = {
  repository: z.literal(true),
  prefix: z.string().describe("where in the repository the workspace is; empty: at its top"),
};

export const GitStatusView = z.discriminatedUnion("repository", [
  z.object({ action: z.literal("status"), ...none }),
  z.object({
    action: z.literal("status"),
    ...some,
    branch: z.string().nullable().describe("null: none is checked out"),
    head: Hash.nullable().describe("null: nothing was committed yet"),
    entries: z.array(GitEntry),
    truncated: z.boolean(),
  }),
]);
export type GitStatusView = Readonly<z.infer<typeof GitStatusView>>;

export const GitDiffView = z.discriminatedUnion("repository", [
  z.object({ action: z.literal("diff"), ...none }),
  z.object({
    action: z.literal("diff"),
    ...some,
    of: z.enum(["worktree", "index", "commit"]),
    commit: Hash.nullable(),
    files: z.array(GitFileDiff),
    truncated: z.boolean().describe("not every file or diff is here"),
  }),
]);
export type GitDiffView = Readonly<z.infer<typeof GitDiffView>>;

export const GitLogView = z.discriminatedUnion("repository", [
  z.object({ action: z.literal("log"), ...none }),
  z.object({
    action: z.literal("log"),
    ...some,
    commits: z.array(GitCommit),
    next_offset: z.int().nullable().describe("null: there are no older ones"),
  }),
]);
export type GitLogView = Readonly<z.infer<typeof GitLogView>>;

export const GitWorktreesView = z.discriminatedUnion("repository", [
  z.object({ action: z.literal("worktrees"), ...none }),
  z.object({ action: z.literal("worktrees"), ...some, worktrees: z.array(GitWorktree) }),
]);
export type GitWorktreesView = Readonly<z.infer<typeof GitWorktreesView>>;

export type GitView = GitStatusView | GitDiffView | GitLogView | GitWorktreesView;
