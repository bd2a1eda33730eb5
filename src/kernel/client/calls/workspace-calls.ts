// The calls that look at a session's files, and at what was done to them.
import type { DiffView, FilesView, FileView, FindView } from "../../api/records/records.ts";
import type { Calls } from "../api.ts";

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

export function workspaceCalls({ get }: Calls) {
  const at = (sessionId: string, route: string, query: Query) =>
    `/api/sessions/${encodeURIComponent(sessionId)}/${route}${asked(query)}`;
  return {
    files: (
      sessionId: string,
      { path, hidden, until }: { path: string; hidden: boolean } & Moment,
      signal?: AbortSignal,
    ) =>
      get<FilesView>(
        at(sessionId, "files", { path, hidden: hidden ? 1 : undefined, until }),
        signal,
      ),
    file: (
      sessionId: string,
      { path, from, lines, until }: { path: string; from: number; lines: number } & Moment,
      signal?: AbortSignal,
    ) => get<FileView>(at(sessionId, "file", { path, first_line: from, lines, until }), signal),
    find: (sessionId: string, { regex = false, ...request }: FindQuery, signal?: AbortSignal) =>
      get<FindView>(at(sessionId, "find", { ...request, regex: regex ? 1 : undefined }), signal),
    diff: (sessionId: string, { runId, checkpointId, until }: DiffQuery, signal?: AbortSignal) => {
      const query = { checkpoint_id: checkpointId, until };
      if (runId === undefined) return get<DiffView>(at(sessionId, "diff", query), signal);
      return get<DiffView>(`/api/runs/${encodeURIComponent(runId)}/diff${asked(query)}`, signal);
    },
  };
}

type Query = Readonly<Record<string, string | number | undefined>>;

function asked(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}
