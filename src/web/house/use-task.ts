// Something a page of the house does: one at a time, and what went wrong where it was asked for.
import { useRef, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";

export type Task = {
  readonly busy: boolean;
  readonly problem: string | null;
  /** `then` only when it was done. */
  readonly run: <Result>(work: () => Promise<Result>, then?: (result: Result) => void) => void;
  readonly forget: () => void;
};

export function useTask(): Task {
  const [state, setState] = useState<{ busy: boolean; problem: string | null }>(IDLE);
  const underWay = useRef(false);
  const run: Task["run"] = (work, then) => {
    if (underWay.current) return;
    underWay.current = true;
    setState({ busy: true, problem: null });
    work()
      .then(
        (result) => {
          setState(IDLE);
          then?.(result);
        },
        (error: unknown) => setState({ busy: false, problem: toApiFailure(error).message }),
      )
      .finally(() => {
        underWay.current = false;
      });
  };
  return { ...state, run, forget: () => setState(IDLE) };
}

const IDLE = { busy: false, problem: null };
