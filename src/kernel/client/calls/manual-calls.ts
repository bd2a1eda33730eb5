// The calls by which a person works in a workspace with their own hands, and looks at it through git.
import type {
  FileText,
  GitDiffView,
  GitLogView,
  GitStatusView,
  GitWorktreesView,
} from "../../api/records/records.ts";
import type { KillProcess, Outcome, ProcessInput, SaveFile } from "../../events/commands.ts";
import type { Calls } from "../api.ts";

export type GitDiffQuery = {
  readonly of: "worktree" | "index" | "commit";
  readonly commit?: string;
  readonly path?: string;
};
export type ProcessName = { readonly runId: string; readonly processId: string };

export function manualCalls({ get, post }: Calls) {
  const at = (sessionId: string, route: string, query: Record<string, string> = {}) => {
    const asked = new URLSearchParams(query).toString();
    return `/api/sessions/${encodeURIComponent(sessionId)}/${route}${asked && `?${asked}`}`;
  };
  const process = ({ runId, processId }: ProcessName) =>
    `/api/runs/${encodeURIComponent(runId)}/processes/${encodeURIComponent(processId)}`;
  return {
    text: (sessionId: string, path: string, signal?: AbortSignal) =>
      get<FileText>(at(sessionId, "file/text", { path }), signal),
    save: (sessionId: string, command: SaveFile) =>
      post<Outcome>(at(sessionId, "file/save"), command),
    gitStatus: (sessionId: string, signal?: AbortSignal) =>
      get<GitStatusView>(at(sessionId, "git/status"), signal),
    gitLog: (sessionId: string, page: { limit: number; offset: number }, signal?: AbortSignal) =>
      get<GitLogView>(
        at(sessionId, "git/log", { limit: String(page.limit), offset: String(page.offset) }),
        signal,
      ),
    gitDiff: (sessionId: string, request: GitDiffQuery, signal?: AbortSignal) =>
      get<GitDiffView>(at(sessionId, "git/diff", { ...request }), signal),
    gitWorktrees: (sessionId: string, signal?: AbortSignal) =>
      get<GitWorktreesView>(at(sessionId, "git/worktrees"), signal),
    typeInto: (name: ProcessName, command: ProcessInput) =>
      post<Outcome>(`${process(name)}/input`, command),
    kill: (name: ProcessName, command: KillProcess) =>
      post<Outcome>(`${process(name)}/kill`, command),
  };
}
