// API calls for manual edits in a workspace, and for git.
import type { processesApi } from "../../api/routes/processes.ts";
import type { workspaceApi } from "../../api/routes/workspace.ts";
import type { KillProcess, ProcessInput, SaveFile } from "../../events/commands.ts";
import { callsOf, type Calls } from "../calls.ts";

export type GitDiffQuery = {
  readonly of: "worktree" | "index" | "commit";
  readonly commit?: string;
  readonly path?: string;
};
export type ProcessName = { readonly runId: string; readonly processId: string };

export function manualCalls(calls: Calls) {
  const call = callsOf<typeof workspaceApi & typeof processesApi>(calls);
  const session = "/api/sessions/{sessionId}";
  const process = "/api/runs/{runId}/processes/{processId}";
  return {
    text: (sessionId: string, path: string, signal?: AbortSignal) =>
      call(`get ${session}/file/text`, { params: { sessionId }, query: { path } }, signal),
    save: (sessionId: string, body: SaveFile) =>
      call(`post ${session}/file/save`, { params: { sessionId }, body }),
    gitStatus: (sessionId: string, signal?: AbortSignal) =>
      call(`get ${session}/git/status`, { params: { sessionId } }, signal),
    gitLog: (sessionId: string, query: { limit: number; offset: number }, signal?: AbortSignal) =>
      call(`get ${session}/git/log`, { params: { sessionId }, query }, signal),
    gitDiff: (sessionId: string, query: GitDiffQuery, signal?: AbortSignal) =>
      call(`get ${session}/git/diff`, { params: { sessionId }, query }, signal),
    gitWorktrees: (sessionId: string, signal?: AbortSignal) =>
      call(`get ${session}/git/worktrees`, { params: { sessionId } }, signal),
    typeInto: (params: ProcessName, body: ProcessInput) =>
      call(`post ${process}/input`, { params, body }),
    kill: (params: ProcessName, body: KillProcess) =>
      call(`post ${process}/kill`, { params, body }),
  };
}
