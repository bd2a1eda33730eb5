// Something the server is asked for again and again while someone looks. A failed ask keeps what is
// shown: the connection pill says that it is old.
import { useCallback, useEffect, useState } from "react";
import { toApiFailure } from "../kernel/client/api-failure.ts";

type PollOptions<Value> = {
  readonly ask: (signal: AbortSignal) => Promise<Value>;
  readonly everyMs: number;
  readonly onDenied: () => void;
};

/** `ask` and `onDenied` must keep their identity: a new one starts over. */
export function usePoll<Value>({ ask, everyMs, onDenied }: PollOptions<Value>) {
  const [value, setValue] = useState<Value | null>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    const poll = () => {
      if (document.visibilityState === "hidden") return;
      ask(stop.signal).then(setValue, (error: unknown) => {
        if (!stop.signal.aborted && toApiFailure(error).status === 401) onDenied();
      });
    };
    poll();
    const timer = setInterval(poll, everyMs);
    document.addEventListener("visibilitychange", poll);
    return () => {
      stop.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", poll);
    };
  }, [ask, everyMs, onDenied, round]);

  const refresh = useCallback(() => setRound((previous) => previous + 1), []);
  return [value, refresh] as const;
}
