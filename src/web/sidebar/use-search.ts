// Full-text search, debounced. A late answer never replaces a newer one.
import { useState } from "react";
import type { HitKind, SearchHit, SearchView } from "../../kernel/api/records/search.ts";
import { useApp } from "../app-context.ts";
import { useQuery } from "../use-query.ts";

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

export type Asking = { readonly words: string; readonly kind: HitKind | null };

export function useSearch({ words, kind }: Asking): { search: Search; more: () => void } {
  const { api } = useApp();
  const asked = { q: words, limit: HITS, ...(kind && { kind }) };
  const { value: first, problem } = useQuery(
    words === "" ? null : [words, kind],
    (signal) => api.search(asked, signal),
    { delayMs: PAUSE_MS },
  );
  const [pages, setPages] = useState<readonly Page[]>([]);
  const found = first && pages.filter(({ of }) => of === first).reduce(joined, first);
  const more = () => {
    const cursor = found?.next;
    if (!first || cursor == null) return;
    api.search({ ...asked, cursor }).then(
      (view) => setPages((before) => [...before, { of: first, cursor, view }]),
      () => undefined, // what is there stays, and so does the button
    );
  };
  return { search: searchOf(words, found, problem), more };
}

function searchOf(words: string, found: SearchView | null, problem: string | null): Search {
  if (words === "") return { state: "none" };
  if (problem !== null) return { state: "failed", problem };
  return found ? { state: "found", ...found } : { state: "asking" };
}

/** A further page of a result. */
type Page = { readonly of: SearchView; readonly cursor: string; readonly view: SearchView };

/** Each cursor once, however often it was requested. */
function joined(before: SearchView, { cursor, view }: Page): SearchView {
  if (before.next !== cursor) return before;
  return { ...before, ...view, hits: [...before.hits, ...view.hits] };
}
