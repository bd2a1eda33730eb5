// Words looked for in everything that was said and done, a moment after somebody stopped typing. An answer counts only
// for what was asked: a late one never takes the place of a newer one.
import { useEffect, useRef, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import type { HitKind, SearchHit, SearchView } from "../../kernel/api/records/search.ts";
import { useApp } from "../app-context.ts";

const PAUSE_MS = 150;
const HITS = 30;

export type Found = {
  readonly hits: readonly SearchHit[];
  readonly next: string | null;
  readonly indexing: boolean;
};
export type Search =
  | { readonly state: "none" | "asking" }
  | ({ readonly state: "found" } & Found)
  | { readonly state: "failed"; readonly problem: string };

type Answer = { readonly asked: string; readonly search: Search };
export type Asking = { readonly words: string; readonly kind: HitKind | null };

export function useSearch({ words, kind }: Asking): { search: Search; more: () => void } {
  const { api } = useApp();
  const [answer, setAnswer] = useState<Answer>({ asked: "", search: { state: "none" } });
  const asked = `${kind ?? ""} ${words}`;
  const now = useRef(asked);
  useEffect(() => {
    now.current = asked;
  }, [asked]);

  useEffect(() => {
    if (words === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search({ q: words, limit: HITS, ...(kind && { kind }) }, stop.signal).then(
        (found) => setAnswer({ asked, search: { state: "found", ...found } }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          const problem = toApiFailure(error).message;
          setAnswer({ asked, search: { state: "failed", problem } });
        },
      );
    }, PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, words, kind, asked]);

  const search: Search =
    words === "" ? { state: "none" } : answer.asked === asked ? answer.search : { state: "asking" };
  const more = () => {
    if (search.state !== "found" || search.next === null) return;
    const { next: cursor } = search;
    api.search({ q: words, limit: HITS, cursor, ...(kind && { kind }) }).then(
      (found) =>
        setAnswer((before) => (now.current === asked ? joined(before, found, cursor) : before)),
      () => undefined, // what is there stays, and so does the button
    );
  };
  return { search, more };
}

/** Once for each cursor, however often it was pressed. */
function joined(before: Answer, found: SearchView, cursor: string): Answer {
  const { search } = before;
  if (search.state !== "found" || search.next !== cursor) return before;
  return { ...before, search: { ...search, ...found, hits: [...search.hits, ...found.hits] } };
}
