// What was said and done, while somebody types into the palette.
import type { SearchHit } from "../../kernel/api/records/search.ts";
import { useApp } from "../app-context.ts";
import { useQuery } from "../use-query.ts";

const NONE: readonly SearchHit[] = [];
const PAUSE_MS = 150;
const MIN = 3; // with fewer letters everything is found
const MAX = 6;

/** Nothing where the server cannot say: actions, sessions and files are found without it. */
export function useFoundHits(query: string): readonly SearchHit[] {
  const { api } = useApp();
  const q = query.trim().slice(0, 1_000);
  const { value } = useQuery(
    q.length < MIN ? null : [q],
    (signal) => api.search({ q, limit: MAX }, signal),
    { delayMs: PAUSE_MS },
  );
  return value?.hits ?? NONE;
}
