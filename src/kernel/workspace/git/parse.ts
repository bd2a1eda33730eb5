// Parses the machine-readable output of git. Pure; paths stay as they are in the repository.

export type GitEntry = {
  readonly path: string;
  /** Where a renamed file was; null for others. */
  readonly from: string | null;
  /** As git's letters: of the index and of the work tree; `?` untracked, `U` not merged, `.` as it was. */
  readonly index: string;
  readonly worktree: string;
};
export type GitStatus = {
  readonly branch: string | null;
  readonly head: string | null;
  readonly entries: readonly GitEntry[];
};

/** `git status --porcelain=v2 --branch -z` */
export function parseStatus(text: string): GitStatus {
  const fields = text.split("\0");
  const entries: GitEntry[] = [];
  let [branch, head]: (string | null)[] = [null, null];
  for (let at = 0; at < fields.length; at += 1) {
    const line = fields[at] ?? "";
    if (line.startsWith("# branch.oid ")) head = orNull(line.slice(13), "(initial)");
    else if (line.startsWith("# branch.head ")) branch = orNull(line.slice(14), "(detached)");
    else if (line.startsWith("? ")) entries.push(entry(line.slice(2), "?", "?"));
    else if (/^[12u] /.test(line)) {
      const changed = changedEntry(line);
      if (line.startsWith("2 ")) {
        at += 1;
        if (changed) entries.push({ ...changed, from: fields[at] ?? null });
      } else if (changed) entries.push(changed);
    }
  }
  return { branch: branch ?? null, head: head ?? null, entries };
}

const BEFORE_PATH: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10 };

function changedEntry(line: string): GitEntry | undefined {
  const words = line.split(" ");
  const path = words.slice(BEFORE_PATH[words[0] ?? ""] ?? 8).join(" ");
  const letters = words[1] ?? "..";
  return path === "" ? undefined : entry(path, letters[0] ?? ".", letters[1] ?? ".");
}

function entry(path: string, index: string, worktree: string): GitEntry {
  return { path, from: null, index, worktree };
}

function orNull(value: string, nothing: string): string | null {
  return value === nothing ? null : value;
}

export type GitCommit = {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly at: number;
  readonly refs: readonly string[];
  readonly subject: string;
};
export const LOG_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%at%x00%D%x00%s";
const LOG_FIELDS = 7;
const MAX_TEXT = 1_000;

/** `git log -z --format=<LOG_FORMAT>` */
export function parseLog(text: string): GitCommit[] {
  const fields = text.split("\0");
  const commits: GitCommit[] = [];
  for (let at = 0; at + LOG_FIELDS <= fields.length; at += LOG_FIELDS) {
    const [commit = "", parents = "", author = "", email = "", time = "", refs = "", subject = ""] =
      fields.slice(at, at + LOG_FIELDS);
    commits.push({
      commit,
      parents: parents.split(" ").filter(Boolean).slice(0, 20),
      author: author.slice(0, MAX_TEXT),
      email: email.slice(0, MAX_TEXT),
      at: Number(time) || 0,
      refs: refs.split(", ").filter(Boolean).slice(0, 20),
      subject: subject.slice(0, MAX_TEXT),
    });
  }
  return commits;
}

export type GitWorktree = {
  readonly path: string;
  readonly head: string | null;
  readonly branch: string | null;
  readonly locked: boolean;
};

/** `git worktree list --porcelain -z` */
export function parseWorktrees(text: string): GitWorktree[] {
  return text.split("\0\0").flatMap((block) => {
    const lines = block.split("\0").filter(Boolean);
    const of = (name: string) =>
      lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null;
    const path = of("worktree");
    if (path === null) return [];
    const branch = of("branch")?.replace(/^refs\/heads\//, "") ?? null;
    const locked = lines.some((line) => line === "locked" || line.startsWith("locked "));
    return [{ path, head: of("HEAD"), branch, locked }];
  });
}
