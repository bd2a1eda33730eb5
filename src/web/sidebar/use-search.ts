// Words looked for in what was said, a moment after somebody stopped typing.
import { useEffect, useMemo, useState } from "react";
import { toApiFailure } from "../../client/api-failure.ts";
import type { SessionRecord } from "../../client/records.ts";
import type { MessageHit } from "../../protocol/api-records.ts";
import { useApp } from "../app-context.ts";

const PAUSE_MS = 200;
const HITS = 30;
const PROFILES = 8; // a search is of one profile; few people have more

export type Search =
  | { readonly state: "none" | "asking" }
  | { readonly state: "found"; readonly hits: readonly MessageHit[] }
  | { readonly state: "failed"; readonly problem: string };

type Answer = { readonly words: string; readonly search: Search };

export function useSearch(words: string, sessions: readonly SessionRecord[] | null): Search {
  const { api } = useApp();
  const [answer, setAnswer] = useState<Answer>({ words: "", search: { state: "none" } });
  const profiles = useMemo(() => profilesOf(sessions ?? []), [sessions]);

  useEffect(() => {
    if (words === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      Promise.all(
        profiles
          .split("\n")
          .map((profile) => api.search({ words, profile, limit: HITS }, stop.signal)),
      ).then(
        (found) => setAnswer({ words, search: { state: "found", hits: found.flat() } }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          const problem = toApiFailure(error).message;
          setAnswer({ words, search: { state: "failed", problem } });
        },
      );
    }, PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, words, profiles]);

  if (words === "") return { state: "none" };
  return answer.words === words ? answer.search : { state: "asking" };
}

/** As one text: the same profiles are the same value. */
function profilesOf(sessions: readonly SessionRecord[]): string {
  const names = new Set(["default", ...sessions.map(({ profile }) => profile)]);
  return [...names].slice(0, PROFILES).join("\n");
}
