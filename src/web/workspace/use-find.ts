// What is found in the workspace while somebody types: asked for once they pause, and no longer waited
// for when they go on.
import { useEffect, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import type { FindWish } from "../../kernel/client/calls/workspace-calls.ts";
import type { FindView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";

const PAUSE_MS = 200;

export type Finding = {
  readonly view: FindView | null;
  readonly problem: string | null;
  readonly busy: boolean;
};

export function useFind(sessionId: string, { q, glob, regex = false }: FindWish): Finding {
  const { api } = useApp();
  const [found, setFound] = useState<Finding & { of: string }>(NOTHING);
  const of = JSON.stringify([sessionId, q, glob, regex]);
  useEffect(() => {
    if (q === "") return;
    const stop = new AbortController();
    const ask = async () => {
      const view = await api.find(sessionId, { q, glob, regex }, stop.signal);
      setFound({ view, problem: null, busy: false, of });
    };
    const fail = (error: unknown) => {
      if (stop.signal.aborted) return;
      setFound({ view: null, problem: toApiFailure(error).message, busy: false, of });
    };
    const timer = setTimeout(() => void ask().catch(fail), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, sessionId, q, glob, regex, of]);
  if (q === "") return NOTHING;
  return found.of === of ? found : { ...found, busy: true };
}

const NOTHING = { view: null, problem: null, busy: false, of: "" };
