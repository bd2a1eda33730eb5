// Files of the open session by name, while somebody types. No session, no files.
import { useApp } from "../app-context.ts";
import { useQuery } from "../use-query.ts";
import { useRoute } from "../use-route.ts";

const NONE: readonly string[] = [];
const PAUSE_MS = 120; // between two letters nobody wants an answer
const MIN = 2;

/** Nothing where the server cannot say: actions and sessions are found without it. */
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
