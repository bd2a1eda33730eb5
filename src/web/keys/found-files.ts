// Files of the open session by name, while somebody types. No session, no files.
import { useEffect, useState } from "react";
import { useApp } from "../app-context.ts";
import { useRoute } from "../use-route.ts";

const NONE: readonly string[] = [];
const PAUSE_MS = 120; // between two letters nobody wants an answer
const LEAST = 2;

export function useFoundFiles(query: string): readonly string[] {
  const { api } = useApp();
  const route = useRoute();
  const sessionId = route.page === "session" ? route.sessionId : null;
  const [found, setFound] = useState({ query: "", paths: NONE });
  const wanted = query.trim();

  useEffect(() => {
    if (sessionId === null || wanted.length < LEAST) return;
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      api.find(sessionId, { q: wanted, in: "names" }, leaving.signal).then(
        ({ names }) => setFound({ query: wanted, paths: names.map(({ path }) => path) }),
        () => undefined, // actions and sessions are found without it
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [api, sessionId, wanted]);
  return found.query === wanted ? found.paths : NONE;
}
