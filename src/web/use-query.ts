// The one way to read data. A changed query aborts the old one; a late answer never replaces a newer one.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { toApiFailure, type ApiFailure } from "../kernel/client/api-failure.ts";
import { useApp } from "./app-context.ts";

export type Query<Value> = {
  readonly value: Value | null; // null: not read yet
  readonly failure: ApiFailure | null; // of the last read; `value` may then be old
  readonly problem: string | null; // what the failure says
  readonly busy: boolean; // the newest question has no answer yet
  readonly refresh: () => void;
};

export type QueryOptions = {
  readonly version?: unknown; // another one reads again; what was read stays until then
  readonly keep?: boolean; // what another question found stays until this one is answered
  readonly delayMs?: number; // waits for somebody who types
  readonly everyMs?: number; // reads again while the page is visible
  readonly retryMs?: number; // reads again after a failure that may pass
  readonly onDenied?: () => void; // nobody is logged in any more
};

type Read<Value> = (signal: AbortSignal) => Promise<Value>;
type Answer<Value> = Pick<Query<Value>, "value" | "failure"> & {
  readonly key: string | null;
  readonly turn: string | null;
};

/** `question` holds everything the answer depends on; null: no query. */
export function useQuery<Value>(
  question: readonly unknown[] | null,
  read: Read<Value>,
  { version, keep = false, delayMs, everyMs, retryMs, onDenied }: QueryOptions = {},
): Query<Value> {
  const [answer, setAnswer] = useState<Answer<Value>>(NOTHING);
  const [round, setRound] = useState(0);
  const key = question && JSON.stringify(question);
  const turn = JSON.stringify([key, version, round]);
  const newest = useRef({ read, onDenied });
  useEffect(() => {
    newest.current = { read, onDenied };
  });
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      if (everyMs !== undefined && document.visibilityState === "hidden") return;
      newest.current.read(signal).then(
        (value) => {
          if (!signal.aborted) setAnswer({ key, turn, value, failure: null });
        },
        (error: unknown) => {
          if (signal.aborted) return;
          const failure = toApiFailure(error);
          if (failure.status === 401) newest.current.onDenied?.();
          setAnswer(({ key: of, value }) => ({
            key,
            turn,
            value: of === key ? value : null,
            failure,
          }));
          if (retryMs !== undefined && failure.retryable) timer = setTimeout(ask, retryMs);
        },
      );
    };
    if (delayMs === undefined) ask();
    else timer = setTimeout(ask, delayMs);
    const poll = everyMs === undefined ? undefined : setInterval(ask, everyMs);
    if (poll !== undefined) document.addEventListener("visibilitychange", ask);
    return () => {
      stop.abort();
      clearTimeout(timer);
      clearInterval(poll);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [key, turn, delayMs, everyMs, retryMs]);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  const { value, failure } = key !== null && (keep || answer.key === key) ? answer : NOTHING;
  const busy = key !== null && answer.turn !== turn;
  return { value, failure, problem: failure?.message ?? null, busy, refresh };
}

const NOTHING = { key: null, turn: null, value: null, failure: null };

/** Reloads when the system log moves. */
export function useSystemQuery<Value>(
  question: readonly unknown[],
  read: Read<Value>,
): Query<Value> {
  const { board, loggedOut } = useApp();
  const version = useSyncExternalStore(board.subscribe, () => board.getState().house);
  return useQuery(question, read, { version, onDenied: loggedOut });
}
