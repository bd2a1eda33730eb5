// What is found in the workspace while somebody types: asked for once they pause, and no longer waited
// for when they go on.
import type { FindWish } from "../../kernel/client/calls/workspace-calls.ts";
import type { FindView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";
import { useQuery, type Query } from "../use-query.ts";

const PAUSE_MS = 200;

export function useFind(sessionId: string, { q, glob, regex = false }: FindWish): Query<FindView> {
  const { api } = useApp();
  return useQuery(
    q === "" ? null : [sessionId, q, glob, regex],
    (signal) => api.find(sessionId, { q, glob, regex }, signal),
    { delayMs: PAUSE_MS, keep: true },
  );
}
