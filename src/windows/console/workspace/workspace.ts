// The files of a workspace in the shapes of the console: tree, file, search, git. A tool host reads all of it.
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { basename } from "node:path";
import { z } from "zod";
import type { FilesView, FileView, WorkspaceEntry } from "../../../kernel/api/records/records.ts";
import { SessionId } from "../../../kernel/events/ids.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { integerParam } from "../../../kernel/api/integer-param.ts";
import { NO_READS, type GitQuery } from "../../../kernel/server/workspace/workspace-reads.ts";
import { GitDiffQuery, GitLogQuery, WorkspacePath } from "../../../kernel/api/workspace-queries.ts";
import { both, ConsoleError, take } from "../envelopes.ts";
import { found, readingPlace, relativeTo } from "./place.ts";

const MAX_ENTRIES = 200;
const Flag = z.enum(["0", "1", "true", "false", ""]);
const flag = Flag.default("0");
const isSet = (value: string) => value === "1" || value === "true";
const Path = WorkspacePath.or(z.literal(""));

export const InSession = z.object({ session_id: SessionId.optional() });
const Tree = InSession.extend({
  path: Path.optional(),
  root: Path.optional(),
  depth: integerParam(0, 6).default(2),
  include_hidden: flag,
});
const File = InSession.extend({
  path: Path.optional(),
  offset: integerParam(1, 999_999_999_999).default(1),
  limit: integerParam(1, 2_000).default(500),
});
const Text = z.string().max(1_000);
const Search = InSession.extend({
  query: Text.optional(),
  q: Text.optional(),
  pattern: Text.optional(),
  path: Path.optional(),
  file_glob: z.string().max(500).optional(),
  limit: integerParam(1, 200).default(50),
  regex: Flag.optional(),
  include_hidden: flag,
});

export function workspacePages(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/workspace/tree", ({ query }, reply) => tree(deps, query, reply));
    app.get("/workspace/file", ({ query }, reply) => file(deps, query, reply));
    app.get("/workspace/search", ({ query }, reply) => search(deps, query, reply));
    const git = (name: string, requestOf: (query: unknown) => GitQuery) =>
      app.get(`/workspace/git/${name}`, async ({ query }, reply) => {
        const { reads = NO_READS } = deps;
        const request = requestOf(query);
        const place = await readingPlace(deps, take(InSession, query), reply);
        const view = found(
          await reads.git({ ...place, ...request }),
          "path" in request ? (request.path ?? ".") : ".",
        );
        return both({ workspace_root: place.workspace, ...view });
      });
    git("status", () => ({ action: "status" }));
    git("worktrees", () => ({ action: "worktrees" }));
    git("diff", (query) => ({ action: "diff", ...take(GitDiffQuery, query) }));
    git("log", (query) => ({ action: "log", ...take(GitLogQuery, query) }));
  };
}

async function tree(deps: AppDeps, query: unknown, reply: FastifyReply) {
  const { reads = NO_READS } = deps;
  const asked = take(Tree, query);
  const place = await readingPlace(deps, asked, reply);
  const path = relativeTo(place.workspace, asked.path || asked.root || ".");
  const request = { path, depth: Math.max(1, asked.depth), hidden: isSet(asked.include_hidden) };
  const view = found(await reads.list({ ...place, ...request }), path);
  const entries = asked.depth === 0 ? [] : view.entries;
  return both({ workspace_root: place.workspace, tree: nested(view, entries) });
}

type Node = {
  name: string;
  path: string;
  type: "directory" | "file";
  kind: WorkspaceEntry["kind"];
  size?: number;
  children: Node[];
  truncated: boolean;
};

/** The shallow ones first: what is left out is deep down, and the folder it is in says so. */
function nested(view: FilesView, entries: readonly WorkspaceEntry[]): Node {
  const depthOf = ({ path }: WorkspaceEntry) => path.split("/").length;
  const ordered = entries.toSorted((one, other) => depthOf(one) - depthOf(other));
  const top = node({ path: view.path, kind: "folder", bytes: null, modified_at: 0 });
  if (view.path === ".") top.name = basename(view.workspace);
  const nodes = new Map([[view.path, top]]);
  for (const [index, entry] of ordered.entries()) {
    const at = entry.path.lastIndexOf("/");
    const parent = nodes.get(at < 0 ? "." : entry.path.slice(0, at));
    if (index >= MAX_ENTRIES || !parent) {
      if (parent) parent.truncated = true;
      top.truncated = true;
      continue;
    }
    const made = node(entry);
    parent.children.push(made);
    nodes.set(entry.path, made);
  }
  top.truncated ||= view.truncated;
  return top;
}

function node({ path, kind, bytes }: WorkspaceEntry): Node {
  const type = kind === "folder" ? "directory" : "file";
  const size = bytes === null ? {} : { size: bytes };
  return { name: basename(path), path, type, kind, ...size, children: [], truncated: false };
}

async function file(deps: AppDeps, query: unknown, reply: FastifyReply) {
  const { reads = NO_READS } = deps;
  const { path: given = "", offset, limit, ...asked } = take(File, query);
  if (given === "") throw new ConsoleError("missing_path", "Say which file: `path`.");
  const place = await readingPlace(deps, asked, reply);
  const path = relativeTo(place.workspace, given);
  const view = found(await reads.read({ ...place, path, first_line: offset, lines: limit }), path);
  const next = offset + view.lines;
  const isMore = view.total_lines === null || next <= view.total_lines;
  return both({
    workspace_root: place.workspace,
    file: {
      path: view.path,
      size: view.bytes,
      line_count: view.total_lines,
      offset,
      limit,
      lines: view.lines,
      content: isMore || view.binary || offset > 1 ? view.text : wholeText(view),
      truncated: !view.binary && isMore,
      next_offset: !view.binary && isMore && view.lines > 0 ? next : null,
      cut_lines: view.cut_lines,
      is_binary: view.binary,
      version: view.version,
      modified_at: view.modified_at,
    },
  });
}

/** Lines come without the end of the last one; a client that saves what it was shown would cut it off. */
function wholeText({ text, bytes }: FileView): string {
  return Buffer.byteLength(text) + 1 === bytes ? `${text}\n` : text;
}

async function search(deps: AppDeps, query: unknown, reply: FastifyReply) {
  const { reads = NO_READS } = deps;
  const asked = take(Search, query);
  const q = asked.query || asked.q || asked.pattern || "";
  if (q === "") throw new ConsoleError("missing_query", "Say what to look for: `query`.");
  if (q.includes("\0")) throw new ConsoleError("invalid_request", "query: holds a NUL character");
  const place = await readingPlace(deps, asked, reply);
  const path = relativeTo(place.workspace, asked.path || ".");
  const request = {
    q,
    // The document's `pattern` is one; what the real client calls `query` is plain text.
    regex: asked.regex === undefined ? !asked.query && !asked.q : isSet(asked.regex),
    hidden: isSet(asked.include_hidden),
    in: "contents" as const,
    max: asked.limit,
    path,
    ...(asked.file_glob && { glob: asked.file_glob }),
  };
  const read = await reads.find({ ...place, ...request });
  if (
    !read.ok &&
    read.code === "invalid_request" &&
    (request.regex || request.glob !== undefined)
  ) {
    throw new ConsoleError("invalid_request", read.message, { query: q });
  }
  const { hits, hits_truncated: truncated } = found(read, path);
  const matches = hits.map(({ path: at, line, text }) => ({ path: at, line, content: text }));
  const matched_files = new Set(matches.map((match) => match.path)).size;
  return both({
    workspace_root: place.workspace,
    query: q,
    matches,
    truncated,
    matched_files,
    scanned_files: null, // ripgrep does not count what it read without finding anything
  });
}
