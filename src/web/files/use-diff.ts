// A diff from the server: of a run, a session or one call, up to the moment that is shown. What is on the
// screen stays there until its successor is.
import type { DiffQuery } from "../../kernel/client/calls/workspace-calls.ts";
import type { DiffView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";
import { useSource } from "../session/use-session.ts";
import { useQuery, type Query } from "../use-query.ts";

/** `version`: another one means that something was changed since. */
export function useDiff({ runId, checkpointId, until }: DiffQuery, version = 0): Query<DiffView> {
  const { api } = useApp();
  const { sessionId } = useSource();
  return useQuery(
    [sessionId, runId, checkpointId],
    (signal) => api.diff(sessionId, { runId, checkpointId, until }, signal),
    { version: [until, version] },
  );
}
