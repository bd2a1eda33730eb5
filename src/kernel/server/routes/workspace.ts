// Native API: the files of a session's workspace. The workspace is the session's own; what a client gives
// is a path below it and nothing else. Answers are data: no file is ever a page of ours.
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { z } from "zod";
import { ApiError, parse } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { filesThen, listThen, readThen, type Then } from "../workspace/files-then.ts";
import { GitDiffQuery, GitLogQuery } from "../workspace/git-queries.ts";
import { integerParam } from "../integer-param.ts";
import { dataOf, NO_READS, onThisMachine, type GitQuery } from "../workspace/workspace-reads.ts";
import { below, whileWaitedFor, WorkspacePath } from "../workspace/workspace-params.ts";
import { data, noSession, sessionIdOf } from "./replies.ts";

const flag = z.enum(["0", "1", "true", "false"]).default("0");
/** A `session_seq`: what later events changed is taken back. */
const until = integerParam(0).optional();

const List = z.object({
  path: WorkspacePath.default("."),
  depth: integerParam(1, 6).default(1),
  hidden: flag,
  until,
});
const File = z.object({
  path: WorkspacePath,
  first_line: integerParam(1).default(1),
  lines: integerParam(1, 2_000).default(500),
  until,
});
const Find = z.object({
  q: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[^\0]*$/, "holds a NUL character"),
  glob: z.string().min(1).max(500).optional(),
  regex: flag,
  in: z.enum(["names", "contents"]).optional(),
});

export function workspaceRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal, reads = NO_READS, volumes = {} } = deps;
  return async (app) => {
    app.get("/sessions/:sessionId/files", async ({ params, query }, reply) => {
      const { path, depth, hidden, until } = parse(List, query);
      const request = { path: below(path), depth, hidden: isSet(hidden) };
      const where = await place(params, reply);
      const list = (wanted: typeof request) => reads.list({ ...where, ...wanted });
      if (until === undefined) return data(dataOf(await list(request)));
      return data(await listThen(await then(params, until), request, list));
    });
    app.get("/sessions/:sessionId/file", async ({ params, query }, reply) => {
      const { path, first_line, lines, until } = parse(File, query);
      const request = { path: below(path), first_line, lines };
      const where = await place(params, reply);
      const past =
        until !== undefined && (await readThen(journal.blobs, await then(params, until), request));
      return data(past || dataOf(await reads.read({ ...where, ...request })));
    });
    app.get("/sessions/:sessionId/file/text", async ({ params, query }, reply) => {
      const path = below(parse(File.pick({ path: true }), query).path);
      return data(dataOf(await reads.text({ ...(await place(params, reply)), path })));
    });
    app.get("/sessions/:sessionId/find", async ({ params, query }, reply) => {
      const { regex, ...wanted } = parse(Find, query);
      const asked = { ...(await place(params, reply)), ...wanted };
      return data(dataOf(await reads.find({ ...asked, regex: isSet(regex) })));
    });
    const git = (name: string, requestOf: (query: unknown) => GitQuery) =>
      app.get(`/sessions/:sessionId/git/${name}`, async ({ params, query }, reply) => {
        const request = requestOf(query);
        return data(dataOf(await reads.git({ ...(await place(params, reply)), ...request })));
      });
    git("status", () => ({ action: "status" }));
    git("worktrees", () => ({ action: "worktrees" }));
    git("diff", (query) => ({ action: "diff", ...parse(GitDiffQuery, query) }));
    git("log", (query) => ({ action: "log", ...parse(GitLogQuery, query) }));
  };

  async function then(params: unknown, until: number): Promise<Then> {
    const sessionId = sessionIdOf(params);
    const { workspace = "" } = (await journal.reads.session(sessionId)) ?? {};
    return filesThen(await journal.reads.changes({ sessionId }), { workspace, until });
  }

  async function place(params: unknown, reply: FastifyReply) {
    const sessionId = sessionIdOf(params);
    const session = await journal.reads.session(sessionId);
    if (!session) throw new ApiError("session_not_found", noSession(sessionId).message);
    const workspace = onThisMachine(session.workspace, volumes);
    return { workspace, signal: whileWaitedFor(reply) };
  }
}

function isSet(value: z.infer<typeof flag>): boolean {
  return value === "1" || value === "true";
}
