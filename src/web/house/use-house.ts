// Something of the house for a page that shows it: read when the page opens, when the house's log moves, and when
// the page itself changed something. What was read stays on the screen while it is read again.
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { useApp } from "../app-context.ts";

export type Housed<Value> = {
  readonly value: Value | null; // null: not read yet
  readonly problem: string | null; // of the last reading; `value` may then be old
  readonly refresh: () => void;
};

/** `ask` must keep its identity: a new one is another question, and what was read before goes. */
export function useHouse<Value>(ask: (signal: AbortSignal) => Promise<Value>): Housed<Value> {
  const { board, loggedOut } = useApp();
  const moved = useSyncExternalStore(board.subscribe, () => board.getState().house);
  const [round, setRound] = useState(0);
  const [read, setRead] = useState<{ ask: unknown; value: Value } | null>(null);
  const [failed, setFailed] = useState<{ ask: unknown; problem: string } | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    ask(stop.signal).then(
      (value) => {
        if (stop.signal.aborted) return; // an older answer never replaces a newer one
        setRead({ ask, value });
        setFailed(null);
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const failure = toApiFailure(error);
        if (failure.status === 401) loggedOut();
        setFailed({ ask, problem: failure.message });
      },
    );
    return () => stop.abort();
  }, [ask, moved, round, loggedOut]);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  return {
    value: read?.ask === ask ? read.value : null,
    problem: failed?.ask === ask ? failed.problem : null,
    refresh,
  };
}
