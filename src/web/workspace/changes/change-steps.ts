// Steps between file changes, whatever moment is shown.
import { useSyncExternalStore } from "react";
import { useLiveStore, useSource } from "../../session/use-session.ts";
import { changesFold, changing } from "./changes-fold.ts";

/** By session_seq; null: none. */
export type Steps = { readonly earlier: number | null; readonly later: number | null };

/** `changes` is sorted. `at`: null is now. */
export function stepsFrom(changes: readonly number[], at: number | null): Steps {
  const done = at === null ? changes : changes.filter((change) => change <= at);
  const last = done.at(-1);
  return {
    earlier: last === undefined ? null : (done.at(-2) ?? last - 1), // before the first one, too
    later: changes[done.length] ?? null,
  };
}

/** Of one file, or of any without a path. */
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
