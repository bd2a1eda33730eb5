// A diff of a run, session or call at the shown moment. The previous one stays visible while loading.
import type { DiffQuery } from "../../kernel/client/calls/workspace-calls.ts";
import type { DiffView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";
import { useSource } from "../session/use-session.ts";
import { useQuery, type Query } from "../use-query.ts";

/** A new `version` means files have changed. */
export function useDiff({ runId, checkpointId, until }: DiffQuery, version = 0): Query<DiffView> {
  const { api } = useApp();
  const { sessionId } = useSource();
  return useQuery(
    [sessionId, runId, checkpointId],
    (signal) => api.diff(sessionId, { runId, checkpointId, until }, signal),
    { version: [until, version] },
  );
}
