// Of which session a run is. Asked once: runs never move.
import { useEffect, useState } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { useApp } from "../../../web/app-context.ts";

export type Found = { readonly sessionId: string | null; readonly problem: string };

/** Null until the server has said. */
export function useSessionOfRun(runId: string): Found | null {
  const { api } = useApp();
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    api.run(runId, stop.signal).then(
      ({ session_id }) => setFound({ sessionId: session_id, problem: "" }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setFound({ sessionId: null, problem: toApiFailure(error).message });
      },
    );
    return () => stop.abort();
  }, [api, runId]);
  return found;
}
