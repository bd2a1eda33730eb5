// Labels of git states, and the diff of an entry. Pure.
import type { GitDiffQuery } from "../../../kernel/client/calls/manual-calls.ts";
import type { GitEntry } from "../../../kernel/api/records/records.ts";

const LONG: Readonly<Record<string, string>> = {
  M: "changed",
  T: "another kind of file",
  A: "new",
  D: "deleted",
  R: "renamed",
  C: "copied",
  U: "not merged",
  "?": "not known to git",
};

export type EntryLabels = {
  readonly short: string;
  readonly long: string;
  readonly kind: "staged" | "changed" | "new" | "conflict";
};

export function describeEntry({ index, worktree }: GitEntry): EntryLabels {
  const short = `${index}${worktree}`.replaceAll(".", "·");
  if (index === "?") return { short: "new", long: "not known to git", kind: "new" };
  if (index === "U" || worktree === "U") return { short, long: "not merged", kind: "conflict" };
  const emitted = [
    index === "." ? null : `${LONG[index] ?? index}, to be committed`,
    worktree === "." ? null : `${LONG[worktree] ?? worktree}, not staged`,
  ].filter((part) => part !== null);
  return { short, long: emitted.join("; "), kind: worktree === "." ? "staged" : "changed" };
}

/** Null: git has nothing to compare with. */
export function requestOf({ path, index, worktree }: GitEntry): GitDiffQuery | null {
  if (index === "?") return null;
  return { of: worktree === "." ? "index" : "worktree", path };
}
