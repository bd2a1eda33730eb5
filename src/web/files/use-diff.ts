// A diff from the server: of a run, a session or one call, up to the moment that is shown. What is on the
// screen stays there until its successor is.
import { useCallback, useEffect, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import type { DiffWish } from "../../kernel/client/calls/workspace-calls.ts";
import type { DiffView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";
import { useSource } from "../session/use-session.ts";

export type DiffRead = {
  readonly view: DiffView | null;
  readonly problem: string | null;
  readonly again: () => void;
};

/** `version`: another one means that something was changed since. */
export function useDiff({ runId, checkpointId, until }: DiffWish, version = 0): DiffRead {
  const { api } = useApp();
  const { sessionId } = useSource();
  const [{ view, problem, of }, setRead] = useState<Read>(NOTHING);
  const [round, setRound] = useState(0);
  const key = JSON.stringify([sessionId, runId, checkpointId]);
  useEffect(() => {
    const stop = new AbortController();
    const ask = () => api.diff(sessionId, { runId, checkpointId, until }, stop.signal);
    ask().then(
      (found) => setRead({ view: found, problem: null, of: key }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setRead({ view: null, problem: toApiFailure(error).message, of: key });
      },
    );
    return () => stop.abort();
  }, [api, sessionId, runId, checkpointId, until, key, round, version]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return of === key ? { view, problem, again } : { view: null, problem: null, again };
}

type Read = { view: DiffView | null; problem: string | null; of: string };
const NOTHING: Read = { view: null, problem: null, of: "" };
