// API calls that read a session's files and their changes.
import type { filesApi } from "../../api/routes/files.ts";
import type { workspaceApi } from "../../api/routes/workspace.ts";
import { callsOf, type Calls } from "../calls.ts";

export type FindQuery = {
  readonly q: string;
  readonly glob?: string | undefined;
  readonly regex?: boolean;
  readonly in?: "names" | "contents" | undefined;
};
/** As it was after this event of the session; without one, as it is now. */
export type Moment = { readonly until?: number | undefined };
/** Of a run or, without one, of the session; of one call; up to a moment. */
export type DiffQuery = {
  readonly runId?: string | undefined;
  readonly checkpointId?: string | undefined;
  readonly until?: number | undefined;
};

export function workspaceCalls(calls: Calls) {
  const call = callsOf<typeof workspaceApi & typeof filesApi>(calls);
  return {
    files: (
      sessionId: string,
      { path, hidden, until }: { path: string; hidden: boolean } & Moment,
      signal?: AbortSignal,
    ) => {
      const query = { path, ...(hidden && { hidden: "1" as const }), until };
      return call("get /api/sessions/{sessionId}/files", { params: { sessionId }, query }, signal);
    },
    file: (
      sessionId: string,
      { from, ...rest }: { path: string; from: number; lines: number } & Moment,
      signal?: AbortSignal,
    ) => {
      const query = { ...rest, first_line: from };
      return call("get /api/sessions/{sessionId}/file", { params: { sessionId }, query }, signal);
    },
    find: (sessionId: string, { regex = false, ...request }: FindQuery, signal?: AbortSignal) => {
      const query = { ...request, ...(regex && { regex: "1" as const }) };
      return call("get /api/sessions/{sessionId}/find", { params: { sessionId }, query }, signal);
    },
    diff: (sessionId: string, { runId, checkpointId, until }: DiffQuery, signal?: AbortSignal) => {
      const query = { checkpoint_id: checkpointId, until };
      return runId === undefined
        ? call("get /api/sessions/{sessionId}/diff", { params: { sessionId }, query }, signal)
        : call("get /api/runs/{runId}/diff", { params: { runId }, query }, signal);
    },
  };
}
