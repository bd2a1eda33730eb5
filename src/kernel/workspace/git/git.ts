// Git views of the workspace: status, diffs, log and worktrees. It only reads, only below the workspace, and runs no
// program that a repository names.
import { normalize, relative } from "node:path";
import { number, plainText, record, text } from "../host/call-input.ts";
import type { ToolResult } from "../host/frames.ts";
import { NoRepository, openRepository, placeOf, type OpenRepository } from "./directory.ts";
import { LOG_FORMAT, parseLog, parseStatus, parseWorktrees } from "./parse.ts";
import { parsePatch, type GitFileDiff } from "./patch.ts";
import { GitMissing, runGit } from "./run.ts";
import { isWithin } from "../sandbox/sandbox.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const MAX_ENTRIES = 2_000;
const MAX_BYTES = 512 * 1024; // of the answer as JSON: a frame's line is at most twice that
const FILE_BYTES = 128 * 1024; // of one file's diff
const COMMIT = /^[0-9a-f]{4,64}$/;

type Fields = Record<string, unknown>;
type Action = (repository: OpenRepository, fields: Fields, call: ToolCall) => Promise<ToolResult>;

export async function git(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const action = Object.hasOwn(ACTIONS, text(fields, "action"))
    ? ACTIONS[text(fields, "action") as keyof typeof ACTIONS]
    : undefined;
  if (!action) throw new ToolError("invalid_request", "unknown action");
  call.begin();
  try {
    await using repository = await openRepository(placeOf(record(fields["repository"])), call);
    return {
      repository: true,
      prefix: repository.prefix,
      ...(await action(repository, fields, call)),
    };
  } catch (error) {
    if (error instanceof GitMissing) return none("git_missing", error.message);
    if (error instanceof NoRepository) return none("not_readable", error.message);
    throw error;
  }
}

const ACTIONS = { status, diff, log, worktrees } satisfies Record<string, Action>;

function none(reason: string, message: string): ToolResult {
  return { repository: false, reason, message };
}

async function status(repository: OpenRepository, _fields: Fields, call: ToolCall) {
  const args = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal"];
  const { output, code, truncated } = await runGit(
    [...args, "--ignore-submodules=all", "--", ...pathspec(repository, ".", call)],
    repository.environment,
    call,
  );
  if (code !== 0 && !truncated) throw new NoRepository("git cannot tell its status.");
  const { branch, head, entries } = parseStatus(output.toString("utf8"));
  const below = entries.flatMap((entry) => {
    const path = underRoot(repository, entry.path);
    const from = entry.from === null ? null : underRoot(repository, entry.from);
    return path === undefined ? [] : [{ ...entry, path, from: from ?? null }];
  });
  const kept = bounded(below, MAX_ENTRIES);
  return { branch, head, entries: kept, truncated: truncated || kept.length < below.length };
}

async function diff(repository: OpenRepository, fields: Fields, call: ToolCall) {
  const of = text(fields, "of");
  const path = pathOf(fields) ?? ".";
  const commit = fields["commit"] === undefined ? null : commitOf(fields);
  const options = ["--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--patch"];
  const rest = [...options, "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all"];
  const commands: Readonly<Record<string, readonly string[]>> = {
    worktree: ["diff", ...rest],
    index: ["diff", "--cached", ...rest],
    commit: ["show", "-m", "--first-parent", "--format=", ...rest, `${commit ?? ""}^{commit}`],
  };
  const command = Object.hasOwn(commands, of) ? commands[of] : undefined;
  if (!command || (of === "commit") !== (commit !== null)) {
    throw new ToolError("invalid_request", "of: worktree, index, or commit with its hash");
  }
  const args = [...command, "--", ...pathspec(repository, path, call)];
  const { output, code, truncated } = await runGit(args, repository.environment, call);
  if (code !== 0 && !truncated) {
    if (commit !== null) throw new ToolError("not_found", `There is no commit ${commit}`);
    throw new NoRepository("git cannot tell what changed.");
  }
  const files = parsePatch(output.toString("utf8")).map(shortened);
  const kept = bounded(files, MAX_ENTRIES);
  const cut = truncated || kept.length < files.length || kept.some((file) => file.truncated);
  return { of, commit, files: kept, truncated: cut };
}

async function log(repository: OpenRepository, fields: Fields, call: ToolCall) {
  const limit = number(fields, "limit", { fallback: 50, min: 1, max: 200, whole: true });
  const skip = number(fields, "offset", { fallback: 0, min: 0, max: 1_000_000, whole: true });
  const path = pathOf(fields) ?? ".";
  // Of a whole repository every commit counts, also one that changed nothing.
  const isAll = path === "." && repository.prefix === "";
  const args = ["log", "-z", `--format=tformat:${LOG_FORMAT}`, "--no-show-signature"];
  const page = ["--no-mailmap", `--max-count=${limit + 1}`, `--skip=${skip}`];
  const spec = isAll ? [] : ["--", ...pathspec(repository, path, call)];
  const { output, code } = await runGit([...args, ...page, ...spec], repository.environment, call);
  // Before the first commit there is no history, and git calls that an error.
  const commits = code === 0 ? parseLog(output.toString("utf8")) : [];
  const kept = bounded(commits.slice(0, limit), limit);
  const next_offset = kept.length < commits.length ? skip + kept.length : null;
  return { commits: kept, next_offset };
}

async function worktrees(repository: OpenRepository, fields: Fields, call: ToolCall) {
  const { output } = await runGit(
    ["worktree", "list", "--porcelain", "-z"],
    repository.environment,
    call,
  );
  const { top, common } = placeOf(record(fields["repository"]));
  const [main, ...linked] = parseWorktrees(output.toString("utf8"));
  // Git takes the directory it was shown for the main one.
  const at = common.endsWith("/.git") ? common.slice(0, -"/.git".length) : common;
  const isMain = at === top;
  const others = linked.map((each) => ({ ...each, current: each.path === top }));
  const first = main && {
    ...main,
    path: at,
    current: isMain,
    ...(!isMain && { head: null, branch: null }), // what was shown of HEAD is the linked one's
  };
  return { worktrees: bounded(first ? [first, ...others] : others, 200) };
}

/** A path below the workspace, for what may be gone: there is nothing to open. */
function pathOf(fields: Fields): string | undefined {
  if (fields["path"] === undefined) return undefined;
  const path = normalize(plainText(fields, "path"));
  if (!path.startsWith("/") && path !== ".." && !path.startsWith("../")) return path;
  throw new ToolError("outside_workspace", `${path} is outside the workspace`);
}

function commitOf(fields: Fields): string {
  const commit = text(fields, "commit").toLowerCase();
  if (COMMIT.test(commit)) return commit;
  throw new ToolError("invalid_request", "commit: 4 to 64 hexadecimal digits");
}

/** Names, never patterns; without what no tool may touch. */
function pathspec({ root }: OpenRepository, path: string, { workspace }: ToolCall): string[] {
  const hidden = workspace.protect.flatMap(({ path: place }) =>
    place !== undefined && place !== root && isWithin(place, root) ? [relative(root, place)] : [],
  );
  return [`:(literal)${path}`, ...hidden.map((name) => `:(exclude,literal)${name}`)];
}

function underRoot({ prefix }: OpenRepository, path: string): string | undefined {
  if (prefix === "") return path;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : undefined;
}

function shortened(file: GitFileDiff): GitFileDiff & { truncated: boolean } {
  if (file.text.length <= FILE_BYTES) return { ...file, truncated: false };
  const cut = file.text.lastIndexOf("\n", FILE_BYTES);
  return { ...file, text: file.text.slice(0, Math.max(0, cut)), truncated: true };
}

function bounded<Value>(values: readonly Value[], most: number): Value[] {
  let room = MAX_BYTES;
  const kept: Value[] = [];
  for (const value of values.slice(0, most)) {
    room -= Buffer.byteLength(JSON.stringify(value)) + 1;
    if (room < 0) break;
    kept.push(value);
  }
  return kept;
}
