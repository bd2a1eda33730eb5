// Something that is read when it appears, and again when its key is another. What was read stays until then.
import { useEffect, useRef, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";

export type Loaded<Value> = {
  readonly value: Value | null;
  readonly problem: string | null;
  readonly again: () => void;
};

export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<{ value: Value | null; problem: string | null }>(NOTHING);
  const [turn, setTurn] = useState(0);
  const newest = useRef(load);
  useEffect(() => {
    newest.current = load;
  });
  useEffect(() => {
    const gone = new AbortController();
    newest
      .current(gone.signal)
      .then((value) => setState({ value, problem: null }))
      .catch((error: unknown) => {
        if (gone.signal.aborted) return;
        setState({ value: null, problem: toApiFailure(error).message });
      });
    return () => gone.abort();
  }, [key, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}

const NOTHING = { value: null, problem: null };
