// Native API: the files of a session's workspace and manual edits. A client names only a path below the session's
// workspace. Responses are data: no file is ever served as a page of ours.
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import type { AppDeps } from "../app.ts";
import { filesThen, listThen, readThen, type Then } from "../workspace/files-then.ts";
import { dataOf, NO_READS, onThisMachine, type GitQuery } from "../workspace/workspace-reads.ts";
import { below } from "../workspace/workspace-params.ts";
import { abortOnDisconnect } from "../disconnect.ts";
import type { GitView } from "../../api/records/records.ts";
import { workspaceApi } from "../../api/routes/workspace.ts";
import { isSet } from "../../api/workspace-queries.ts";
import { mount } from "../mount.ts";
import { saveContent } from "../workspace/save-content.ts";
import { noSession, requireFound } from "./replies.ts";

export function workspaceRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal, reads = NO_READS, volumes = {} } = deps;
  const git = async <Query extends GitQuery>(
    sessionId: string,
    reply: FastifyReply,
    query: Query,
  ): Promise<Extract<GitView, { action: Query["action"] }>> => {
    const view = dataOf(await reads.git({ ...(await place(sessionId, reply)), ...query }));
    return view as Extract<GitView, { action: Query["action"] }>; // it answers what it was asked
  };
  return mount(workspaceApi, {
    listFiles: async ({ params: { sessionId }, query: { until, hidden, ...query }, reply }) => {
      const asked = { ...query, path: below(query.path), hidden: isSet(hidden) };
      const where = await place(sessionId, reply);
      const list = (wanted: typeof asked) => reads.list({ ...where, ...wanted });
      if (until === undefined) return dataOf(await list(asked));
      return listThen(await then(sessionId, until), asked, list);
    },
    readFile: async ({ params: { sessionId }, query: { until, ...query }, reply }) => {
      const asked = { ...query, path: below(query.path) };
      const where = await place(sessionId, reply);
      const past =
        until !== undefined && (await readThen(journal.blobs, await then(sessionId, until), asked));
      return past || dataOf(await reads.read({ ...where, ...asked }));
    },
    readText: async ({ params: { sessionId }, query, reply }) => {
      const path = below(query.path);
      return dataOf(await reads.text({ ...(await place(sessionId, reply)), path }));
    },
    findInFiles: async ({ params: { sessionId }, query: { regex, ...query }, reply }) => {
      const asked = { ...(await place(sessionId, reply)), ...query };
      return dataOf(await reads.find({ ...asked, regex: isSet(regex) }));
    },
    // The content goes to the blob store first; the run that saves it names it by its hash.
    saveFile: async ({ params: { sessionId }, body }) => {
      below(body.path);
      return requireFound(await saveContent(journal, sessionId, body), noSession(sessionId));
    },
    runCommand: async ({ params: { sessionId }, body }) =>
      requireFound(await journal.commands.runCommand(sessionId, body), noSession(sessionId)),
    gitStatus: ({ params, reply }) => git(params.sessionId, reply, { action: "status" }),
    gitWorktrees: ({ params, reply }) => git(params.sessionId, reply, { action: "worktrees" }),
    gitDiff: ({ params, query, reply }) =>
      git(params.sessionId, reply, { action: "diff", ...query }),
    gitLog: ({ params, query, reply }) => git(params.sessionId, reply, { action: "log", ...query }),
  });

  async function then(sessionId: string, until: number): Promise<Then> {
    const { workspace = "" } = (await journal.reads.session(sessionId)) ?? {};
    return filesThen(await journal.reads.changes({ sessionId }), { workspace, until });
  }

  async function place(sessionId: string, reply: FastifyReply) {
    const session = requireFound(await journal.reads.session(sessionId), noSession(sessionId));
    const workspace = onThisMachine(session.workspace, volumes);
    return { workspace, signal: abortOnDisconnect(reply) };
  }
}
