// Searches files of the open session by name.
import { useApp } from "../app-context.ts";
import { useQuery } from "../use-query.ts";
import { useRoute } from "../use-route.ts";

const NONE: readonly string[] = [];
const PAUSE_MS = 120; // between two letters nobody wants an answer
const MIN = 2;

/** Empty on failure: actions and sessions are still found. */
export function useFoundFiles(query: string): readonly string[] {
  const { api } = useApp();
  const route = useRoute();
  const sessionId = route.page === "session" ? route.sessionId : null;
  const q = query.trim();
  const { value } = useQuery(
    sessionId === null || q.length < MIN ? null : [sessionId, q],
    async (signal) => {
      const { names } = await api.find(sessionId ?? "", { q, in: "names" }, signal);
      return names.map(({ path }) => path);
    },
    { delayMs: PAUSE_MS },
  );
  return value ?? NONE;
}
