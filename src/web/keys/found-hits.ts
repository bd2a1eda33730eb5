// What was said and done, while somebody types into the palette.
import { useEffect, useState } from "react";
import type { SearchHit } from "../../kernel/api/records/search.ts";
import { useApp } from "../app-context.ts";

const NONE: readonly SearchHit[] = [];
const PAUSE_MS = 150;
const LEAST = 3; // with fewer letters everything is found
const MOST = 6;

export function useFoundHits(query: string): readonly SearchHit[] {
  const { api } = useApp();
  const [found, setFound] = useState({ query: "", hits: NONE });
  const wanted = query.trim();

  useEffect(() => {
    if (wanted.length < LEAST) return;
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      api.search({ q: wanted.slice(0, 1_000), limit: MOST }, leaving.signal).then(
        ({ hits }) => setFound({ query: wanted, hits }),
        () => undefined, // actions, sessions and files are found without it
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [api, wanted]);
  return found.query === wanted ? found.hits : NONE;
}
