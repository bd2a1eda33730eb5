// From one change of the files to the next, whatever moment is shown: what is between them is all the same.
import { useSyncExternalStore } from "react";
import { useLiveStore, useSource } from "../../session/use-session.ts";
import { changesFold, changing } from "./changes-fold.ts";

/** Moments, by session_seq; null where there is none. */
export type Steps = { readonly earlier: number | null; readonly later: number | null };

/** `changes`: when something was changed, in order. `at`: null is now. */
export function stepsFrom(changes: readonly number[], at: number | null): Steps {
  const done = at === null ? changes : changes.filter((change) => change <= at);
  const last = done.at(-1);
  return {
    earlier: last === undefined ? null : (done.at(-2) ?? last - 1), // before the first one, too
    later: changes[done.length] ?? null,
  };
}

/** Of one file or, without a path, of any. */
export function useChangeSteps(path: string | undefined): Steps {
  const { at } = useSource();
  const store = useLiveStore();
  const calls = useSyncExternalStore(store.subscribe, () => store.through(changesFold).calls);
  const ofFile = path === undefined ? calls : changing(calls, path);
  return stepsFrom(
    ofFile.map(({ sessionSeq }) => sessionSeq),
    at,
  );
}
